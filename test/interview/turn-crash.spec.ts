import { DataSource } from 'typeorm';
import { DatabaseBusyError } from '../../src/common/uow';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { replyWith } from '../../tools/fake-model/model-server';
import { turnOfLoop, until } from '../support/model-calls';
import { CuttingProxy } from '../support/cutting-proxy';
import type { InterviewProcess } from './interview-process';
import { LEASE_MS, TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;
let other: InterviewProcess;

beforeAll(async () => {
  fixture = await TurnFixture.open();
  other = await fixture.another();
  await other.pass();
});

afterAll(() => fixture.close());

const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"From the first',
  rest: ' process."}',
} as const;

/** The main process has opened a turn and shown half of its reply when it falls silent. */
async function halfWritten() {
  const candidate = await fixture.candidate();
  fixture.model.next(HELD, replyWith('answered', 'From the second process.'));
  await candidate.start(fixture.main, words());
  await until(() => fixture.main.visible(candidate.id) === 'From the first');
  return candidate;
}

test('after a crash another process writes the reply anew, in the next epoch, and stores it once', async () => {
  const candidate = await halfWritten();

  fixture.clock.advance(LEASE_MS);
  await other.work();

  expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the second process\./)]);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 2 }]);
  expect(await candidate.attempts()).toEqual(['sent', 'ok']);
  expect(await candidate.requests()).toBe(1);
  fixture.model.release();
  await fixture.main.settled();
});

test('a process whose lease ended unnoticed shows nothing more, writes nothing, and counts no failure', async () => {
  const candidate = await halfWritten();
  const shown = fixture.main.live.current(candidate.id);
  fixture.clock.advance(LEASE_MS);
  await other.work();
  const stored = await candidate.lines();

  fixture.model.release();
  await fixture.main.settled();

  expect(shown?.text).toBe('From the first');
  expect(shown?.end).toBe('broken');
  expect(await candidate.lines()).toEqual(stored);
  expect(await candidate.attempts()).toEqual(['aborted', 'ok']);
  expect(await candidate.state()).toMatchObject({ question: 1, interview_step: 1 });
});

test('a process that does not know of its successor yet cannot store its reply beside the other', async () => {
  const candidate = await halfWritten();
  const shown = fixture.main.live.current(candidate.id);
  await fixture.sql(`update job set claim_no = claim_no + 1, due_at = $2 where key = $1`, [
    candidate.id,
    fixture.clock.now(),
  ]);

  fixture.model.release();
  await fixture.main.settled();

  expect(shown?.end).toBe('broken');
  expect(await candidate.replies()).toEqual([]);
  await other.work();
  expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the second process\./)]);
});

test('a process whose successor has stored its reply does not take that for its own', async () => {
  const candidate = await halfWritten();
  const shown = fixture.main.live.current(candidate.id);
  await fixture.sql(`update job set due_at = $2 where key = $1`, [
    candidate.id,
    fixture.clock.now(),
  ]);
  await other.work();
  const stored = await candidate.lines();

  fixture.model.release();
  await fixture.main.settled();

  expect(shown?.text).toContain('From the first process.');
  expect(shown?.end).toBe('broken');
  expect(await candidate.lines()).toEqual(stored);
});

test('a drain that cannot wait hands the answer back, and the next process replies', async () => {
  const candidate = await halfWritten();
  const leaving = fixture.main;

  expect(await leaving.worker.handBack()).toBe(1);
  await other.work();

  expect(await candidate.attempts()).toEqual(['aborted', 'ok']);
  expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
  expect(await candidate.replies()).toHaveLength(1);
  fixture.model.release();
});

test('a drain does not wait for a reply that cannot be stored either', async () => {
  const candidate = await halfWritten();
  const leaving = fixture.main;
  const lock = jest.spyOn(leaving.get(ConversationRepository), 'lock');
  lock.mockRejectedValue(new DatabaseBusyError('somebody holds the conversation'));
  fixture.model.release();
  await until(() => lock.mock.calls.length > 0);

  const handedBack = await fixture.inTime(leaving.worker.handBack(), 5);
  lock.mockRestore();
  await other.work();

  expect(handedBack).toBe(1);
  expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the second process\./)]);
});

test('an answer whose processes crash again and again ends before a person', async () => {
  const candidate = await fixture.candidate();
  const bufferId = await candidate.say(words());
  fixture.pause();
  await fixture.sql(
    `update job set state = 'running', claim_no = 10, claims_without_progress = 10, due_at = $2
     where id = $1`,
    [bufferId, fixture.clock.now()],
  );
  const asked = fixture.model.requests.length;

  await other.work();

  expect(fixture.model.requests).toHaveLength(asked);
  expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }]);
  expect(await candidate.attention()).toMatchObject([{ kind: 'dead' }]);
  expect(await candidate.notices()).toHaveLength(1);
});

describe('a reply that was shown and cannot be stored at once', () => {
  let proxy: CuttingProxy;
  let remote: InterviewProcess;

  beforeAll(async () => {
    proxy = await CuttingProxy.start(fixture.databaseUrl);
    remote = await fixture.another({ url: proxy.url });
    await remote.pass();
  });

  afterAll(() => proxy.close());

  async function written() {
    const candidate = await fixture.candidate();
    fixture.model.next(HELD);
    await candidate.start(remote, words());
    await until(() => remote.visible(candidate.id) === 'From the first');
    const shown = remote.live.current(candidate.id);
    return { candidate, shown };
  }

  test.each([
    ['goes through and nobody hears of it', 'after'],
    ['never reaches the database', 'before'],
  ] as const)('its COMMIT %s: it is stored once and shown to its end', async (_, cut) => {
    const { candidate, shown } = await written();
    const asked = fixture.model.requests.length;
    proxy.cutNextCommit(cut);

    fixture.model.release();
    await fixture.inTime(remote.settled());

    expect(proxy.cuts).toBe(1);
    expect(fixture.model.requests).toHaveLength(asked);
    expect(shown?.end).toMatchObject({ isPartial: false });
    expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the first process\./)]);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
    expect(await candidate.attempts()).toEqual(['ok']);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await candidate.state()).toMatchObject({ question: 1, metadata_version: 1 });
  });

  test('waits in memory for a database that is away for longer than a lease', async () => {
    const { candidate } = await written();
    const asked = fixture.model.requests.length;
    await proxy.goDown();

    fixture.model.release();
    for (let passedMs = 0; passedMs < 2 * LEASE_MS; passedMs += 100) {
      fixture.clock.advance(100);
      await turnOfLoop();
    }
    expect(await candidate.replies()).toEqual([]);
    await proxy.comeUp();
    await fixture.inTime(remote.settled());

    expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the first process\./)]);
    expect(fixture.model.requests).toHaveLength(asked);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
  });

  test('waits in memory while somebody holds the conversation', async () => {
    const { candidate } = await written();
    const holder = fixture.main.get(DataSource).createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from conversation where id = $1 for update', [candidate.id]);

    fixture.model.release();
    const closing = fixture.inTime(remote.settled());
    const gaveUp = 'colloquy_uow_commits_total{label="turn.close",outcome="rolled_back"}';
    const before = await remote.metric(gaveUp);
    while ((await remote.metric(gaveUp)) === before) await turnOfLoop();
    await holder.rollbackTransaction();
    await holder.release();
    await closing;

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
  });
});
