import { textsOf } from '../../src/interview/texts/texts';
import { type ModelReply, replyWith } from '../../tools/fake-model/model-server';
import { turnOfLoop, until } from '../support/model-calls';
import { TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;

beforeAll(async () => {
  fixture = await TurnFixture.open({ env: { OPENAI_IDLE_TIMEOUT: '2' } });
});

afterAll(() => fixture.close());

const TEXTS = textsOf('en');
const HALF = '{"verdict":"answered","text":"Half a reply';
/** Ways in which one answer's request fails, with the word of the ledger for each. */
const FAILURES: readonly [string, ModelReply][] = [
  ['cut', { kind: 'cut', content: HALF }],
  ['cut', { kind: 'unfinished', content: HALF }],
  ['malformed', { kind: 'answer', content: HALF }],
  ['malformed', { kind: 'lines', lines: ['data: {not json'] }],
  ['length', { kind: 'answer', content: HALF, finishReason: 'length' }],
  ['empty', { kind: 'answer', content: '  ' }],
];
/** The same, when asking again would be of no use. */
const REFUSALS: readonly [string, ModelReply][] = [
  ['content_filter', { kind: 'answer', content: HALF, finishReason: 'content_filter' }],
  ['refused', { kind: 'refusal', refusal: 'I cannot do that.' }],
  ['bad_request', { kind: 'status', status: 400, error: { code: 'context_length_exceeded' } }],
];

test.each(FAILURES)(
  '%s (%j): the answer is asked about again in a new epoch, and no half reply stays',
  async (outcome, reply) => {
    const candidate = await fixture.candidate();
    fixture.model.next(reply, replyWith('answered', 'Whole.'));

    await candidate.answer(words());

    expect(fixture.main.breakers.state('flush')).toBe('closed');
    expect(await candidate.replies()).toEqual([]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'retry', failures: 1 }]);
    await fixture.live(2000);
    expect(await candidate.replies()).toEqual([expect.stringMatching(/^Whole\./)]);
    expect(await candidate.attempts()).toEqual([outcome, 'ok']);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 2 }]);
    expect(await candidate.requests()).toBe(1);
    expect(await candidate.attention()).toEqual([]);
  },
);

test('a reply that goes silent is given up after the idle time, and what was shown is taken back', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({ kind: 'stall', content: HALF }, replyWith('answered', 'Whole.'));

  await candidate.start(fixture.main, words());
  await until(() => fixture.main.visible(candidate.id) === 'Half a reply');
  await turnOfLoop();
  const shown = fixture.main.live.current(candidate.id);
  fixture.clock.advance(2000);
  await fixture.main.settled();

  expect(shown?.end).toBe('broken');
  expect(await candidate.replies()).toEqual([]);
  await fixture.live(3000);
  expect(await candidate.attempts()).toEqual(['stalled', 'ok']);
  expect(await candidate.replies()).toEqual([expect.stringMatching(/^Whole\./)]);
});

test('after three failed requests the scripted interviewer goes on, and a person is asked', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next(
    { kind: 'answer', content: HALF },
    { kind: 'cut', content: HALF },
    { kind: 'answer', content: '' },
  );
  const asked = fixture.model.requests.length;

  await candidate.answer(words());
  await fixture.live(20_000);

  expect(fixture.model.requests).toHaveLength(asked + 3);
  const [reply] = await candidate.replies();
  expect(reply).toContain(TEXTS.notAnalysed);
  expect(reply).toContain(fixture.vacancy.plan.questions[1]?.text);
  expect(await candidate.attention()).toMatchObject([{ kind: 'unanalysed', closed: false }]);
  expect(await candidate.state()).toMatchObject({ question: 1, status: 'active' });
  expect(await fixture.main.metric('colloquy_turns_total{outcome="unanalysed"}')).toBe(1);
  expect(await candidate.requests()).toBe(1);
});

test('the conversation goes on with the model after an answer it failed on', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({ kind: 'refusal', refusal: 'No.' });
  await candidate.answer(words());
  await fixture.live(5000);
  fixture.model.next(replyWith('answered', 'Fine again.'));

  await candidate.answer(words());

  expect((await candidate.replies())[1]).toMatch(/^Fine again\./);
  expect(await candidate.attempts()).toEqual(['refused', 'ok']);
});

test.each(REFUSALS)('%s: nobody is asked a second time', async (outcome, reply) => {
  const candidate = await fixture.candidate();
  fixture.model.next(reply);
  const asked = fixture.model.requests.length;

  await candidate.answer(words());
  await fixture.live(3000);

  expect(fixture.model.requests).toHaveLength(asked + 1);
  expect(await candidate.attempts()).toEqual([outcome]);
  expect((await candidate.replies())[0]).toContain(TEXTS.notAnalysed);
  expect(await candidate.attention()).toMatchObject([{ kind: 'unanalysed' }]);
});

test('plain text instead of the agreed form is a reply, and the answer counts', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({ kind: 'answer', content: 'Thanks, got it.' });

  await candidate.answer(words());

  expect((await candidate.replies())[0]).toMatch(/^Thanks, got it\./);
  expect(await candidate.state()).toMatchObject({ question: 1 });
});

describe('an answer that ends without a reply', () => {
  const POISON = 'POISON';

  /** No turn of such a message can be opened: a failure of the answer itself, outside the model. */
  beforeAll(async () => {
    await fixture.sql(`
      create function poison() returns trigger language plpgsql as $$ begin
        if new.text like '${POISON}%' then raise exception 'poisoned'; end if;
        return new;
      end $$;
      create trigger poison before update of turn_id on message
        for each row execute function poison();`);
  });

  test('goes to a person, the candidate is told once, and nothing half is stored', async () => {
    const candidate = await fixture.candidate();
    const bufferId = await candidate.say(`${POISON} ${words()}`);

    await fixture.live(60_000);

    expect(await candidate.jobs()).toMatchObject([{ id: bufferId, state: 'dead', failures: 5 }]);
    expect(await candidate.turns()).toMatchObject([{ state: 'failed' }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'dead', closed: false }]);
    expect(await candidate.notices()).toEqual([TEXTS.leftToPerson]);
    expect(await candidate.replies()).toEqual([]);
    expect(await candidate.attempts()).toEqual([]);
    expect(await candidate.state()).toMatchObject({ question: 0, interview_step: 0 });
  });

  test('is counted, and its readers are woken once its end is stored', async () => {
    const candidate = await fixture.candidate();
    const before = await fixture.main.metric('colloquy_turns_total{outcome="failed"}');
    await candidate.say(`${POISON} ${words()}`);
    const reads: Promise<unknown>[] = [];
    const unwatch = fixture.main.live.watch(candidate.id, () => {
      reads.push(candidate.turns());
    });

    await fixture.live(60_000);
    unwatch();

    expect(await reads.at(-1)).toMatchObject([{ state: 'failed' }]);
    expect(await fixture.main.metric('colloquy_turns_total{outcome="failed"}')).toBeGreaterThan(
      before,
    );
  });

  test('does not hold up the next answer, which is no addition to it', async () => {
    const candidate = await fixture.candidate();
    await candidate.say(`${POISON} ${words()}`);
    await fixture.live(6000);
    await candidate.say(words('the next'));

    await fixture.live(60_000);

    expect(await candidate.turns()).toMatchObject([{ state: 'failed' }, { state: 'delivered' }]);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.state()).toMatchObject({ question: 1 });
  });

  test('is before a person once, however old it grows', async () => {
    const candidate = await fixture.candidate();
    await candidate.say(`${POISON} ${words()}`);
    await fixture.live(60_000);

    fixture.clock.advance(3_700_000);
    await fixture.expireOld();

    expect(await candidate.attention()).toMatchObject([{ kind: 'dead' }]);
    expect(await candidate.notices()).toHaveLength(1);
    expect(await candidate.waiting()).toEqual([]);
  });
});
