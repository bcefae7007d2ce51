import type { UIMessageChunk } from 'ai';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { replyWith } from '../../../tools/fake-model/model-server';
import { chunksOf, deltasOf, said, submit } from './chat-client';
import { closeReaders, readEvents } from './event-source';
import { STREAMS } from './mid-reply';

interface Marked {
  readonly text: string;
  readonly question?: { readonly id: string; readonly start: number };
}

/** The question that a message marks, as its id and its words. */
function questionOf({ text, question }: Marked): [string, string] | null {
  return question === undefined ? null : [question.id, text.slice(question.start)];
}

function marksOf(chunks: readonly UIMessageChunk[]): unknown[] {
  return chunks.flatMap((chunk) => (chunk.type === 'data-question' ? [chunk.data] : []));
}

let app: TestApp;
let first: [string, string];
let second: [string, string];

beforeAll(async () => {
  app = await startTestApp(STREAMS);
  const [one, two] = app.vacancy.plan.questions.map(({ id, text }): [string, string] => [id, text]);
  if (one === undefined || two === undefined) throw new Error('the plan has too few questions');
  [first, second] = [one, two];
});

afterEach(() => {
  closeReaders();
  app.model.release();
});

afterAll(() => app.close());

test('the transcript marks the question of a message, and no other text', async () => {
  const candidate = await TestCandidate.begin(app);
  app.model.next(replyWith('answered', 'Thank you.'));

  const { messages } = await candidate.answer('m1', 'Rye.');

  expect(messages.map(questionOf)).toEqual([null, first, null, second]);
});

test('a push-back marks no question', async () => {
  const candidate = await TestCandidate.begin(app);
  app.model.next(replyWith('vague', 'Could you give an example?'));

  const { messages } = await candidate.answer('m1', 'Rye.');

  expect(messages.at(-1)?.text).toBe('Could you give an example?');
  expect(messages.map(questionOf)).toEqual([null, first, null, null]);
});

test("the AI SDK's stream carries the mark beside the unchanged text, live and stored", async () => {
  const candidate = await TestCandidate.begin(app);
  app.model.next(replyWith('answered', 'Thank you.'));

  const live = await chunksOf(await submit(candidate, [said('m1', 'Rye.')]));
  const again = await chunksOf(
    await submit(candidate, [said('m1', 'Rye.')], { trigger: 'regenerate-message' }),
  );

  const [id, text] = second;
  const whole = `Thank you.\n\n${text}`;
  const mark = { id, start: whole.length - text.length, text };
  expect([deltasOf(live), deltasOf(again)]).toEqual([whole, whole]);
  expect([marksOf(live), marksOf(again)]).toEqual([[mark], [mark]]);
});

test('events carry the mark after the start of the reply, and with its end', async () => {
  const candidate = await TestCandidate.begin(app);
  const reader = await readEvents(candidate);
  app.model.next(replyWith('answered', 'Thank you.'));

  await candidate.send('m1', 'Rye.');
  await reader.until((seen) => seen.of('finish').length === 1);

  const mark = { id: second[0], start: 'Thank you.\n\n'.length };
  const frames = reader.frames.filter(({ event }) => event !== 'state');
  const place = frames.findIndex(({ data }) => (data as { type?: string }).type === 'question');
  expect(frames[place]?.data).toMatchObject({ type: 'question', ...mark, text: second[1] });
  expect(place).toBeGreaterThan(frames.findIndex(({ event }) => event === 'start'));
  expect(reader.of('finish')[0]?.data).toMatchObject({ question: mark });
});

test('readers at another replica get the mark too', async () => {
  const other = await startReplica(app, { isWorking: false });
  try {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate.at(other));
    app.model.next(replyWith('answered', 'Thank you.'));

    const chunks = await chunksOf(await submit(candidate.at(other), [said('m1', 'Rye.')]));
    await reader.until((seen) => seen.of('finish').length + seen.of('message').length >= 2);

    expect(marksOf(chunks)).toMatchObject([{ id: second[0], text: second[1] }]);
    const ends = [...reader.of('finish'), ...reader.of('message')].map(({ data }) => data);
    expect(ends).toContainEqual(
      expect.objectContaining({ question: { id: second[0], start: 'Thank you.\n\n'.length } }),
    );
  } finally {
    closeReaders();
    await other.close();
  }
});
