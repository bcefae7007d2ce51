import { PROMPT_ID } from '../../src/interview/prompts/instructions';
import { TranscriptService } from '../../src/interview';
import type { TranscriptLine } from '../../src/interview/transcript/transcript-line.repository';
import { ScoringRepository } from '../../src/scoring';
import type { ReceivedRequest } from '../../tools/fake-model/model-server';
import { type ReplyData, replyDataOf } from '../../tools/fake-model/reply-data';
import type { TestApp } from '../support/app';
import { runCli } from '../support/run-cli';
import { type Interviewee, newCandidate } from './interviewee';
import { closeInterviews, startInterviews, words } from './interviews';

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews();
});

afterAll(() => closeInterviews(app));

function sent({ body }: Pick<ReceivedRequest, 'body'>): ReplyData {
  return replyDataOf(body.messages.at(-1)?.content);
}

/** The next reply of the model; `labels` gets the numbers of the answer's messages. */
function reply(fields: object, labels: (n: readonly number[]) => string = () => ''): void {
  app.model.next({
    kind: 'completion',
    content: (request) => {
      const numbers = sent({ body: request }).said.flatMap(({ n }) => n ?? []);
      const rest = { sources: '', asks: 'no', about: '', touches: '', text: 'Thank you.' };
      return JSON.stringify({
        verdict: 'answered',
        ...rest,
        labels: labels(numbers),
        ...fields,
      });
    },
  });
}

const SAID = {
  rye: words('rye, and I can start at four'),
  keeps: words('that it keeps for a week'),
  oven: words('that the oven was mine'),
  lunch: words('lunch, is it paid'),
  four: words('four in the morning'),
  wheat: words('a correction, it was wheat'),
};

/** An interview whose messages have every label; the first answer touches on the last question. */
async function interviewed(): Promise<{ candidate: Interviewee; firstSeq: number }> {
  const candidate = await newCandidate(app);
  reply({ touches: '3' });
  await candidate.answer(SAID.rye);
  const [first] = await app.sql<{ seq: number }>(
    `select seq from message where conversation_id = $1 and text = $2`,
    [candidate.id, SAID.rye],
  );
  const firstSeq = first?.seq ?? 0;
  reply({ asks: 'yes' }, ([a = 0, b = 0, c = 0]) =>
    [`${String(a)} answer`, `${String(b)} addition 1`, `${String(c)} question`].join('; '),
  );
  await candidate.answer(SAID.keeps, SAID.oven, SAID.lunch);
  reply({ verdict: 'off_topic' });
  await candidate.answer(words('the weather'));
  reply({}, ([a = 0, b = 0]) => `${String(a)} answer; ${String(b)} correction ${String(firstSeq)}`);
  await candidate.answer(SAID.four, SAID.wheat);
  return { candidate, firstSeq };
}

test('labels reach the transcript, the prompt of later turns, and scoring', async () => {
  const { candidate, firstSeq } = await interviewed();

  const { lines, status } = await app.commit((tx) =>
    app.get(TranscriptService).read(tx, candidate.id, null),
  );
  expect(status).toBe('completed');
  const lineOf = (text: string): TranscriptLine | undefined =>
    lines.find((line) => line.text === text);
  const rye = lineOf(SAID.rye);
  const asksEarly = lines.find((line) => line.text.endsWith('Can you start at four?'));
  const none = { question: null, corrects: null, touches: [] };
  expect(rye?.label).toEqual({
    name: 'answer',
    question: 1,
    corrects: null,
    touches: [{ question: 3, askedIn: asksEarly?.number }],
  });
  expect(asksEarly?.touchedIn).toBe(rye?.number);
  expect(lines.filter(({ touchedIn }) => touchedIn !== null)).toEqual([asksEarly]);
  expect(lineOf(SAID.keeps)?.label).toEqual({ ...none, name: 'answer', question: 2 });
  expect(lineOf(SAID.oven)?.label).toEqual({ ...none, name: 'addition', question: 1 });
  expect(lineOf(SAID.lunch)?.label).toEqual({ ...none, name: 'question' });
  expect(lineOf(SAID.four)?.label).toEqual({ ...none, name: 'answer', question: 3 });
  expect(lineOf(SAID.wheat)?.label).toEqual({
    ...none,
    name: 'correction',
    question: 1,
    corrects: rye?.number,
  });

  const replies = lines.filter(({ origin }) => origin !== null);
  expect(replies).toHaveLength(4);
  expect(replies[0]?.origin).toEqual({
    reply: expect.stringMatching(/^\d+$/) as string,
    model: app.model.requests[0]?.body.model,
    prompt: PROMPT_ID,
    isFallback: false,
  });
  expect(lines[0]).toMatchObject({ role: 'assistant', origin: null, label: null });

  const last = app.model.requests.at(-1);
  const shown = last === undefined ? [] : sent(last).transcript;
  // An answer to the question before it has none.
  expect(shown.flatMap(({ n, label }) => (n === undefined ? [] : [label]))).toEqual([
    undefined,
    undefined,
    'addition 1',
    'question',
    'aside',
  ]);
  expect(shown.find(({ n }) => n === firstSeq)).toMatchObject({ text: SAID.rye });

  const answers = await app.commit((tx) => app.get(ScoringRepository).answers(tx, candidate.id));
  const texts = [...answers].map(([id, messages]) => [id, messages.map(({ text }) => text)]);
  expect(Object.fromEntries(texts)).toEqual({
    last: [SAID.rye, SAID.oven, SAID.wheat],
    why: [SAID.keeps],
    early: [SAID.four],
  });
});

test('`colloquy transcript` shows labels, and model and prompt of replies', async () => {
  const { candidate } = await interviewed();

  const { out, err } = await runCli(['transcript', candidate.id], {
    DATABASE_URL: app.databaseUrl,
  });

  expect(err).toBe('');
  const heads = out
    .split('\n')
    .filter((line) => / UTC {2}No\. /.test(line))
    .map((line) => line.replace(/^.* UTC {2}/, '').replace(/reply \d+/, 'reply N'));
  const model = app.model.requests[0]?.body.model ?? '';
  const origin = `reply N, ${model}, prompt ${PROMPT_ID}`;
  expect(heads).toEqual([
    'No. 1  Interviewer',
    'No. 2  Interviewer',
    'No. 3  Candidate (answers question 1; touches on question 3, asked in No. 8)',
    `No. 4  Interviewer (${origin})`,
    'No. 5  Candidate (answers question 2)',
    'No. 6  Candidate (added to question 1)',
    'No. 7  Candidate (asks a question)',
    `No. 8  Interviewer (No. 3 touched on this question before; ${origin})`,
    'No. 9  Candidate (not an answer)',
    `No. 10  Interviewer (${origin})`,
    'No. 11  Candidate (answers question 3)',
    'No. 12  Candidate (corrects No. 3)',
    `No. 13  Interviewer (${origin})`,
  ]);
});

test('an edit is scored in place of the message that it replaces, and an edited aside is left out', async () => {
  const candidate = await newCandidate(app);
  const [aside, changed] = [words('the weather'), words('the rain')];
  reply({ verdict: 'off_topic' });
  await candidate.answer(aside);
  reply({});
  await candidate.edit(changed);
  await candidate.answer(SAID.rye);

  const answers = await app.commit((tx) => app.get(ScoringRepository).answers(tx, candidate.id));

  expect([...answers].map(([id, messages]) => [id, messages.map(({ text }) => text)])).toEqual([
    ['last', [SAID.rye]],
  ]);
});
