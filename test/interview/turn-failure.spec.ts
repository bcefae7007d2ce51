import { DataSource } from 'typeorm';
import { textsOf } from '../../src/interview/texts/texts';
import { type ModelReply, replyWith } from '../../tools/fake-model/model-server';
import { turnOfLoop, untilInProcess } from '../support/until';
import { startInterviews, closeInterviews, words, settled, live, visible } from './interviews';
import { newCandidate } from './interviewee';
import { LiveReplies } from '../../src/streams';
import { QueueBreakers } from '../../src/jobs';
import { ExpirySweep } from '../../src/buffer/flush';
import type { TestApp } from '../support/app';

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews({ env: { OPENAI_IDLE_TIMEOUT: '2' } });
});

afterAll(() => closeInterviews(app));

const TEXTS = textsOf('en');
const HALF = '{"verdict":"answered","text":"Half a reply. A';
/** Failures of a request, each with the outcome in the ledger. */
const FAILURES: readonly [string, ModelReply][] = [
  ['cut', { kind: 'cut', content: HALF }],
  ['cut', { kind: 'unfinished', content: HALF }],
  ['malformed', { kind: 'completion', content: HALF }],
  ['malformed', { kind: 'completion', content: 'Thanks, got it.' }],
  ['malformed', { kind: 'lines', lines: ['data: {not json'] }],
  ['length', { kind: 'completion', content: HALF, finishReason: 'length' }],
  ['empty', { kind: 'completion', content: '  ' }],
];
/** The same for failures that another request would not change. */
const REFUSALS: readonly [string, ModelReply][] = [
  ['content_filter', { kind: 'completion', content: HALF, finishReason: 'content_filter' }],
  ['refused', { kind: 'refusal', refusal: 'I cannot do that.' }],
  ['bad_request', { kind: 'status', status: 400, error: { code: 'context_length_exceeded' } }],
];

test.each(FAILURES)(
  '%s (%j): the request is repeated in a new epoch, and no partial reply is stored',
  async (outcome, reply) => {
    const candidate = await newCandidate(app);
    app.model.next(reply, replyWith('answered', 'Whole.'));

    await candidate.answer(words());

    expect(app.get(QueueBreakers).state('flush')).toBe('closed');
    expect(await candidate.replies()).toEqual([]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'retry', failures: 1 }]);
    await live(app, 2000);
    expect(await candidate.replies()).toEqual([expect.stringMatching(/^Whole\./)]);
    expect(await candidate.attempts()).toEqual([outcome, 'ok']);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 2 }]);
    expect(await candidate.requests()).toBe(1);
    expect(await candidate.attention()).toEqual([]);
  },
);

test.each<[string, string, string]>([
  ['length', 'length', HALF],
  ['malformed', 'stop', HALF],
  ['empty', 'stop', '  '],
])('%s: the tokens that the server counted are stored', async (outcome, finishReason, content) => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'completion', content, finishReason });

  await candidate.answer(words());

  const rows = await app.sql<{ outcome: string; input: number; output: number }>(
    `select a.outcome, a.input_tokens as input, a.output_tokens as output
     from llm_attempt a join llm_request r on r.id = a.request_id
     join turn t on r.subject = 'flush:' || t.answer_id where t.conversation_id = $1`,
    [candidate.id],
  );
  expect(rows).toEqual([
    { outcome, input: expect.any(Number) as number, output: expect.any(Number) as number },
  ]);
  // The second request must not take a reply that another test scripts.
  await live(app, 3000);
});

test('gives up a reply that stalls for the idle timeout, and removes the shown text', async () => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'stall', content: HALF }, replyWith('answered', 'Whole.'));

  await candidate.start(app, words());
  await untilInProcess(
    'the beginning of the reply is visible',
    () => visible(app, candidate.id) === 'Half a reply.',
  );
  await turnOfLoop();
  const shown = app.get(LiveReplies).current(candidate.id);
  app.clock.advance(2000);
  await settled(app);

  expect(shown?.end).toBe('broken');
  expect(await candidate.replies()).toEqual([]);
  await live(app, 3000);
  expect(await candidate.attempts()).toEqual(['stalled', 'ok']);
  expect(await candidate.replies()).toEqual([expect.stringMatching(/^Whole\./)]);
});

test('after three failed requests the scripted interviewer replies, and a person is notified', async () => {
  const candidate = await newCandidate(app);
  app.model.next(
    { kind: 'completion', content: HALF },
    { kind: 'cut', content: HALF },
    { kind: 'completion', content: '' },
  );
  const requestsBefore = app.model.requests.length;

  await candidate.answer(words());
  await live(app, 20_000);

  expect(app.model.requests).toHaveLength(requestsBefore + 3);
  const [reply] = await candidate.replies();
  expect(reply).toContain(TEXTS.notAnalysed);
  expect(reply).toContain(app.vacancy.plan.questions[1]?.text);
  expect(await candidate.attention()).toMatchObject([{ kind: 'unanalysed', closed: false }]);
  expect(await candidate.state()).toMatchObject({ question: 1, status: 'active' });
  expect(await app.metrics('turns_total', { outcome: 'unanalysed' })).toBe(1);
  expect(await candidate.requests()).toBe(1);
});

test('the model replies to the next answer after one that it failed on', async () => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'refusal', refusal: 'No.' });
  await candidate.answer(words());
  await live(app, 5000);
  app.model.next(replyWith('answered', 'Fine again.'));

  await candidate.answer(words());

  expect((await candidate.replies())[1]).toMatch(/^Fine again\./);
  expect(await candidate.attempts()).toEqual(['refused', 'ok']);
});

test.each(REFUSALS)('%s: sends no second request', async (outcome, reply) => {
  const candidate = await newCandidate(app);
  app.model.next(reply);
  const requestsBefore = app.model.requests.length;

  await candidate.answer(words());
  await live(app, 3000);

  expect(app.model.requests).toHaveLength(requestsBefore + 1);
  expect(await candidate.attempts()).toEqual([outcome]);
  expect((await candidate.replies())[0]).toContain(TEXTS.notAnalysed);
  expect(await candidate.attention()).toMatchObject([{ kind: 'unanalysed' }]);
});

test('prose instead of JSON is no reply: after three of them the scripted interviewer goes on', async () => {
  const candidate = await newCandidate(app);
  const prose = 'Please send me the full transcript and the rubric.';
  const reply = { kind: 'completion', content: prose } as const;
  app.model.next(reply, reply, reply);

  await candidate.answer(words());
  await live(app, 20_000);

  expect(await candidate.attempts()).toEqual(['malformed', 'malformed', 'malformed']);
  expect((await candidate.replies()).join()).toContain(TEXTS.notAnalysed);
  expect(JSON.stringify(await candidate.lines())).not.toContain('rubric');
});

describe('an answer that ends without a reply', () => {
  const FAILING = 'FAILING';

  /** The database refuses to open a turn for such a message: the answer fails without the model. */
  beforeAll(async () => {
    await app.get(DataSource).query(`
      create function fail_message() returns trigger language plpgsql as $$ begin
        if new.text like '${FAILING}%' then raise exception 'the message fails'; end if;
        return new;
      end $$;
      create trigger fail_message before update of turn_id on message
        for each row execute function fail_message();`);
  });

  test('goes to a person; the candidate gets one notice, and no partial data is stored', async () => {
    const candidate = await newCandidate(app);
    const answerId = await candidate.say(`${FAILING} ${words()}`);

    await live(app, 60_000);

    expect(await candidate.jobs()).toMatchObject([{ id: answerId, state: 'dead', failures: 5 }]);
    expect(await candidate.turns()).toMatchObject([{ state: 'failed' }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'dead', closed: false }]);
    expect(await candidate.notices()).toEqual([TEXTS.leftToPerson]);
    expect(await candidate.replies()).toEqual([]);
    expect(await candidate.attempts()).toEqual([]);
    expect(await candidate.state()).toMatchObject({ question: 0, interview_step: 0 });
  });

  test('is counted, and wakes its readers after its end is stored', async () => {
    const candidate = await newCandidate(app);
    const before = await app.metrics('turns_total', { outcome: 'failed' });
    await candidate.say(`${FAILING} ${words()}`);
    const reads: Promise<unknown>[] = [];
    const unwatch = app.get(LiveReplies).watch(candidate.id, () => {
      reads.push(candidate.turns());
    });

    await live(app, 60_000);
    unwatch();

    expect(await reads.at(-1)).toMatchObject([{ state: 'failed' }]);
    expect(await app.metrics('turns_total', { outcome: 'failed' })).toBeGreaterThan(before);
  });

  test('does not block the next answer, which does not count as an addition', async () => {
    const candidate = await newCandidate(app);
    await candidate.say(`${FAILING} ${words()}`);
    await live(app, 6000);
    await candidate.say(words('the next'));

    await live(app, 60_000);

    expect(await candidate.turns()).toMatchObject([{ state: 'failed' }, { state: 'delivered' }]);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.state()).toMatchObject({ question: 1 });
  });

  test('has one attention item, even after it expires', async () => {
    const candidate = await newCandidate(app);
    await candidate.say(`${FAILING} ${words()}`);
    await live(app, 60_000);

    app.clock.advance(3_700_000);
    await app.get(ExpirySweep).run();

    expect(await candidate.attention()).toMatchObject([{ kind: 'dead' }]);
    expect(await candidate.notices()).toHaveLength(1);
    expect(await candidate.waiting()).toEqual([]);
  });
});
