import { ConversationRepository } from '../../src/interview/conversation.repository';
import { type ModelReply } from '../../tools/fake-model/model-server';
import { TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;

beforeAll(async () => {
  fixture = await TurnFixture.open({ env: { INTERVIEW_BUFFER_TTL: '600' } });
});

// A breaker that one test opened is closed before the next: somebody gets a reply.
afterEach(async () => {
  await fixture.live(70_000, 5000);
  expect(fixture.main.breakers.state('flush')).toBe('closed');
});

afterAll(() => fixture.close());

async function untilClosed(): Promise<void> {
  for (let step = 0; step < 80 && fixture.main.breakers.state('flush') !== 'closed'; step += 1) {
    await fixture.live(1000);
  }
}

const OUTAGES: readonly [string, ModelReply][] = [
  ['an internal error', { kind: 'status', status: 500 }],
  ['too many requests', { kind: 'status', status: 429, headers: { 'retry-after': '20' } }],
  ['an overload', { kind: 'status', status: 529 }],
  ['a connection that is dropped before any header', { kind: 'drop' }],
];

test.each(OUTAGES)(
  '%s counts no failure, opens the breaker, and the answer is replied to afterwards',
  async (_, reply) => {
    const candidate = await fixture.candidate();
    fixture.model.next(reply);

    await candidate.answer(words());

    expect(fixture.main.breakers.state('flush')).toBe('open');
    expect(await candidate.jobs()).toMatchObject([{ state: 'retry', failures: 0 }]);
    expect(await candidate.replies()).toEqual([]);
    await untilClosed();
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.attempts()).toEqual(['unavailable', 'ok']);
    expect(await candidate.requests()).toBe(1);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 2 }]);
    expect(await candidate.attention()).toEqual([]);
  },
);

test('a prompt that alone is refused uses up its tries; the interview goes on, a person learns', async () => {
  const candidate = await fixture.candidate();
  const postpone = (hours: number): Promise<unknown> =>
    fixture.main.commit((tx) =>
      tx.query(
        `update job set due_at = due_at + $2 * interval '1 hour' where key = $1 and state = 'retry'`,
        [candidate.id, hours],
      ),
    );
  const refusal: ModelReply = { kind: 'status', status: 403 };
  fixture.model.next(refusal);
  await candidate.answer('<script>alert(1)</script>');
  expect(await candidate.jobs()).toMatchObject([{ state: 'retry', failures: 0 }]);

  for (let failures = 1; failures <= 4; failures += 1) {
    await postpone(1);
    const other = await fixture.candidate();
    await other.answer(words());
    await untilClosed();
    expect(await other.replies()).toHaveLength(1);
    await postpone(-1);
    fixture.model.next(refusal);
    for (let step = 0; step < 60; step += 1) {
      if ((await candidate.attempts()).length > failures) break;
      await fixture.live(1000);
    }
    expect(await candidate.jobs()).toMatchObject([{ failures }]);
    expect(fixture.main.breakers.state('flush')).toBe('closed');
  }
  await fixture.live(30_000, 5000);

  expect(await candidate.replies()).toHaveLength(1);
  expect(await candidate.attention()).toMatchObject([{ kind: 'unanalysed' }]);
});

test('a server that asks to be left alone is not asked before its time', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({ kind: 'status', status: 429, headers: { 'retry-after': '45' } });
  await candidate.answer(words());
  const asked = fixture.model.requests.length;

  await fixture.live(44_000, 4000);
  expect(fixture.model.requests).toHaveLength(asked);

  await untilClosed();
  expect(fixture.model.requests).toHaveLength(asked + 1);
});

test('while the model is away the queue rests: one probe at a time, no more', async () => {
  const candidates = [];
  for (let n = 0; n < 5; n += 1) candidates.push(await fixture.candidate());
  fixture.model.always({ kind: 'status', status: 503 });
  for (const candidate of candidates) await candidate.say(words());
  fixture.pause();
  await fixture.main.work();
  const first = fixture.model.requests.length;

  // Probes after 1, 2, 4, 8, 16 and then 30 s, each with jitter.
  await fixture.live(120_000, 500);

  expect(fixture.model.requests.length - first).toBeLessThanOrEqual(14);
  fixture.model.always({ kind: 'answer', content: '{"verdict":"answered","text":"Back."}' });
  await untilClosed();
  await fixture.main.work();
  for (const candidate of candidates) expect(await candidate.replies()).toHaveLength(1);
});

test('an outage of an hour loses nobody, and each candidate is told once', async () => {
  const candidates = [];
  for (let n = 0; n < 3; n += 1) candidates.push(await fixture.candidate());
  await fixture.model.goDown();
  for (const candidate of candidates) await candidate.say(words());
  fixture.pause();

  for (let tenMinutes = 0; tenMinutes < 6; tenMinutes += 1) {
    await fixture.live(600_000, 40_000);
    await fixture.main.notices.notifyWaiting();
    await fixture.expireOld();
    // Somebody goes on writing: a second answer that waits behind the first.
    if (tenMinutes === 1) await candidates[0]?.say(words('more'));
  }

  for (const candidate of candidates) {
    expect(await candidate.notices()).toHaveLength(1);
    expect((await candidate.jobs())[0]).toMatchObject({ state: 'retry', failures: 0 });
    expect(await candidate.attention()).toEqual([]);
    expect(await candidate.replies()).toEqual([]);
  }
  await fixture.model.comeUp();
  await untilClosed();
  // The last job that probed in vain may wait for 30 s.
  await fixture.live(30_000);
  for (const candidate of candidates) {
    const jobs = await candidate.jobs();
    expect(jobs.map(({ state }) => state)).toEqual(jobs.map(() => 'done'));
    expect(await candidate.notices()).toHaveLength(1);
    expect((await candidate.replies()).length).toBe(jobs.length);
  }
});

test('nobody is told about a trouble that their reply has already overtaken', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({ kind: 'status', status: 503 });
  await candidate.answer(words());
  await untilClosed();

  fixture.clock.advance(60_000);
  expect(await fixture.main.notices.notifyWaiting()).toBe(0);

  expect(await candidate.notices()).toEqual([]);
});

test('nor about one whose reply begins while its notice waits for the conversation', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({ kind: 'status', status: 503 });
  const bufferId = await candidate.answer(words());
  fixture.clock.advance(10_000);
  const conversations = fixture.main.get(ConversationRepository);
  const lock = conversations.lock.bind(conversations);
  const become = (state: string) =>
    fixture.sql('update job set state = $2 where id = $1', [bufferId, state]);
  jest.spyOn(conversations, 'lock').mockImplementationOnce(async (tx, id) => {
    const conversation = await lock(tx, id);
    await become('running');
    return conversation;
  });

  expect(await fixture.main.notices.notifyWaiting()).toBe(0);

  expect(await candidate.notices()).toEqual([]);
  await become('retry');
});

test('a short trouble is not worth a word', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({ kind: 'status', status: 503 });
  await candidate.answer(words());

  expect(await fixture.main.notices.notifyWaiting()).toBe(0);

  await untilClosed();
  expect(await candidate.notices()).toEqual([]);
});

test('an outage that breaks into a reply takes back what was shown of it', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({
    kind: 'error_event',
    content: '{"verdict":"answered","text":"Half a',
    error: { code: 'rate_limit_exceeded' },
  });
  const asked = fixture.model.requests.length;

  await candidate.answer(words());

  expect(fixture.model.requests).toHaveLength(asked + 1);
  expect(fixture.main.live.current(candidate.id)).toBeUndefined();
  expect(await candidate.replies()).toEqual([]);
  await untilClosed();
  const [reply] = await candidate.replies();
  expect(reply).not.toContain('Half a');
});
