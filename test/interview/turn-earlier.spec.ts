import { AttentionService } from '../../src/attention';
import { textsOf } from '../../src/interview/texts/texts';
import { replyWith } from '../../tools/fake-model/model-server';
import { until } from '../support/model-calls';
import type { TurnCandidate } from './turn-candidate';
import { TurnFixture, words } from './turn-fixture';

/** Answers that meet other answers of their conversation: additions, left-overs, replays. */

const TTL_MS = 60_000;
let fixture: TurnFixture;

beforeAll(async () => {
  fixture = await TurnFixture.open({ env: { INTERVIEW_BUFFER_TTL: '60' } });
});

afterAll(() => fixture.close());

const TEXTS = textsOf('en');
const HELD = { kind: 'hold', content: '', rest: '{"verdict":"answered","text":"Ok."}' } as const;

interface Prompt {
  readonly answer: string;
  readonly transcript: readonly { text: string }[];
}

function lastPrompt(): Prompt {
  const { messages } = fixture.model.requests.at(-1)?.body ?? { messages: [] };
  return JSON.parse(messages.at(-1)?.content ?? '{}') as Prompt;
}

/** An answer that failed once by itself, then waited for the model until it was too old. */
async function endedByOutage(candidate: TurnCandidate, text: string): Promise<string> {
  fixture.model.next({ kind: 'answer', content: '' }, { kind: 'status', status: 503 });
  const bufferId = await candidate.answer(text);
  await fixture.live(1000);
  expect((await candidate.attempts()).slice(-2)).toEqual(['empty', 'unavailable']);
  fixture.clock.advance(TTL_MS);
  // Somebody else's answer finds the model back before this one is looked at again.
  fixture.main.breakers.allowance('flush');
  fixture.main.breakers.peerResponded('flush', 'another');
  await fixture.expireOld();
  expect((await candidate.turns()).at(-1)).toMatchObject({ state: 'expired', error: 'outage' });
  return bufferId;
}

/** An answer that its own content has killed. */
async function endedByItself(candidate: TurnCandidate, text: string): Promise<string> {
  const bufferId = await candidate.say(text);
  fixture.pause();
  await fixture.sql(`update job set state = 'running', claim_no = 1, failures = 5 where id = $1`, [
    bufferId,
  ]);
  await fixture.sql('update job set due_at = $2 where id = $1', [bufferId, fixture.clock.now()]);
  await fixture.main.work();
  expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }]);
  return bufferId;
}

function replay(candidate: TurnCandidate): Promise<unknown> {
  const attention = fixture.main.get(AttentionService);
  return fixture.main.commit(async (tx) => {
    const items = await attention.list(tx, { limit: 200 });
    const item = items.find(({ conversationId }) => conversationId === candidate.id);
    return attention.replay(tx, item?.id ?? '0', 'Nora');
  });
}

describe('an addition to the previous answer', () => {
  test('made only of messages from before the reply moves neither the plan nor the push-back', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next(HELD, replyWith('vague', 'Noted.'));
    await candidate.start(fixture.main, words());
    const early = words('one more thing');
    await candidate.say(early);
    fixture.model.release();
    await fixture.main.settled();

    fixture.pause();
    await fixture.main.work();

    expect(lastPrompt().answer).toBe(early);
    expect(await candidate.state()).toMatchObject({ question: 1, pushedBack: false });
    expect((await candidate.replies())[1]).toContain(TEXTS.questionStillOpen);
    expect((await candidate.state()).metadata['questionAnswers']).toHaveLength(1);
  });

  test('with one message from after the reply is an answer', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await candidate.say(words('early'));
    fixture.model.release();
    await fixture.main.settled();
    await candidate.say(words('late'));

    fixture.pause();
    await fixture.main.work();

    expect(await candidate.state()).toMatchObject({ question: 2 });
  });
});

describe('an answer that an outage ended', () => {
  test('goes to a person and the candidate is told', async () => {
    const candidate = await fixture.candidate();

    await endedByOutage(candidate, words());

    expect(await candidate.attention()).toMatchObject([{ kind: 'expired', closed: false }]);
    expect(await candidate.notices()).toEqual([TEXTS.leftToPerson]);
    expect(await candidate.waiting()).toEqual([]);
  });

  test('is replied to with the next one: both words in one request, one reply, no item left', async () => {
    const candidate = await fixture.candidate();
    const [left, next] = [words('left'), words('next')];
    await endedByOutage(candidate, left);

    await candidate.answer(next);

    expect(lastPrompt().answer).toBe(`${left}\n\n${next}`);
    const [first, second] = await candidate.turns();
    expect(first).toMatchObject({ state: 'merged', merged_into: second?.id });
    expect(second).toMatchObject({ state: 'delivered' });
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.state()).toMatchObject({ question: 1 });
    expect(await candidate.attention()).toMatchObject([{ kind: 'expired', closed: true }]);
  });

  test('stays part of the next one when that is tried again', async () => {
    const candidate = await fixture.candidate();
    const [left, next] = [words('left'), words('next')];
    await endedByOutage(candidate, left);
    fixture.model.next({ kind: 'answer', content: '' });

    await candidate.answer(next);
    await fixture.live(2000);

    expect(lastPrompt().answer).toBe(`${left}\n\n${next}`);
    expect(await candidate.turns()).toMatchObject([{ state: 'merged' }, { epoch: 2 }]);
    expect(await candidate.waiting()).toEqual([]);
  });

  test('is carried on by an answer that an outage ends as well', async () => {
    const candidate = await fixture.candidate();
    const said = [words('first'), words('second'), words('third')];
    await endedByOutage(candidate, said[0] ?? '');
    await endedByOutage(candidate, said[1] ?? '');

    await candidate.answer(said[2] ?? '');

    expect(lastPrompt().answer).toBe(said.join('\n\n'));
    const [first, second, third] = await candidate.turns();
    expect([first, second]).toMatchObject([
      { state: 'merged', merged_into: third?.id },
      { state: 'merged', merged_into: third?.id },
    ]);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.waiting()).toEqual([]);
  });

  test('cannot be done again once it is part of a later one', async () => {
    const candidate = await fixture.candidate();
    await endedByOutage(candidate, words());
    const [item] = await candidate.attention();
    await candidate.answer(words());
    await fixture.sql('update attention set closed_at = null where id = $1', [item?.id]);

    await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });
  });
});

describe('an answer that ended before a person', () => {
  test('by its content is nobody else’s: the next one is replied to alone', async () => {
    const candidate = await fixture.candidate();
    const [dead, next] = [words('dead'), words('next')];
    await endedByItself(candidate, dead);

    await candidate.answer(next);

    expect(lastPrompt().answer).toBe(next);
    expect(await candidate.turns()).toMatchObject([{ state: 'failed' }, { state: 'delivered' }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'dead', closed: false }]);
  });

  test('is replied to when a person says so, and its item is closed', async () => {
    const candidate = await fixture.candidate();
    await endedByItself(candidate, words());

    await replay(candidate);
    await fixture.main.work();

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', error: null }]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'dead', closed: true }]);
    expect(await candidate.replies()).toHaveLength(1);
  });

  test('that was stopped once is not stopped again by a replay', async () => {
    const candidate = await fixture.candidate();
    const bufferId = await endedByItself(candidate, words());
    await fixture.sql('update turn set stop_requested_at = now() where buffer_id = $1', [bufferId]);

    await replay(candidate);
    await fixture.main.work();

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: false }]);
  });

  test('is refused a replay once a later answer has its reply', async () => {
    const candidate = await fixture.candidate();
    await endedByItself(candidate, words());
    await candidate.answer(words());

    await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });

    expect(await candidate.attention()).toMatchObject([{ closed: false }]);
    expect((await candidate.jobs())[0]).toMatchObject({ state: 'dead' });
  });

  test('is refused a replay while a later answer is being replied to', async () => {
    const candidate = await fixture.candidate();
    await endedByItself(candidate, words());
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.live.current(candidate.id) !== undefined);

    await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });

    fixture.model.release();
    await fixture.main.settled();
  });

  test('is refused a replay after the candidate has withdrawn', async () => {
    const candidate = await fixture.candidate();
    await endedByItself(candidate, words());
    await candidate.withdraw();

    await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });
  });

  test('with a later answer still open makes that one due, which takes it up', async () => {
    const candidate = await fixture.candidate();
    const [dead, later] = [words('dead'), words('later')];
    await endedByItself(candidate, dead);
    await candidate.say(later);
    expect(await fixture.main.work()).toBe(0);

    await replay(candidate);
    await fixture.main.work();

    expect(lastPrompt().answer).toBe(`${dead}\n\n${later}`);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.turns()).toMatchObject([{ state: 'merged' }, { state: 'delivered' }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'dead', closed: true }]);
  });
});
