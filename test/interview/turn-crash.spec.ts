import { DataSource } from 'typeorm';
import { DatabaseBusyError } from '../../src/common/uow';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { replyWith } from '../../tools/fake-model/model-server';
import { turnOfLoop, untilInProcess } from '../support/until';
import { CuttingProxy } from '../../tools/fake-network/cutting-proxy';
import {
  LEASE_MS,
  startInterviews,
  startOther,
  closeInterviews,
  words,
  pause,
  work,
  settled,
  inTime,
  visible,
} from './interviews';
import { newCandidate } from './interviewee';
import { LiveReplies } from '../../src/streams';
import type { TestApp } from '../support/app';

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  other = await startOther(app);
  await other.worker.tick();
});

afterAll(() => closeInterviews(app));

const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"From the first process. T',
  rest: 'hank you."}',
} as const;

/** The first process has opened a turn and shown half of its reply. */
async function halfWritten() {
  const candidate = await newCandidate(app);
  app.model.next(HELD, replyWith('answered', 'From the second process.'));
  await candidate.start(app, words());
  await untilInProcess(
    'the beginning of the reply is visible',
    () => visible(app, candidate.id) === 'From the first process.',
  );
  return candidate;
}

test('after a crash another process generates the reply in the next epoch and stores it once', async () => {
  const candidate = await halfWritten();

  app.clock.advance(LEASE_MS);
  await work(other);

  expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the second process\./)]);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 2 }]);
  expect(await candidate.attempts()).toEqual(['sent', 'ok']);
  expect(await candidate.requests()).toBe(1);
  app.model.release();
  await settled(app);
});

test('a process that did not notice the end of its lease shows and stores nothing more, and counts no failure', async () => {
  const candidate = await halfWritten();
  const shown = app.get(LiveReplies).current(candidate.id);
  app.clock.advance(LEASE_MS);
  await work(other);
  const stored = await candidate.lines();

  app.model.release();
  await settled(app);

  expect(shown?.text).toBe('From the first process.');
  expect(shown?.end).toBe('broken');
  expect(await candidate.lines()).toEqual(stored);
  expect(await candidate.attempts()).toEqual(['aborted', 'ok']);
  expect(await candidate.state()).toMatchObject({ question: 1, interview_step: 1 });
});

test('a process that has not noticed the next claim cannot store its reply', async () => {
  const candidate = await halfWritten();
  const shown = app.get(LiveReplies).current(candidate.id);
  await app.sql(`update job set claim_no = claim_no + 1, due_at = $2 where key = $1`, [
    candidate.id,
    app.clock.now(),
  ]);

  app.model.release();
  await settled(app);

  expect(shown?.end).toBe('broken');
  expect(await candidate.replies()).toEqual([]);
  await work(other);
  expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the second process\./)]);
});

test('does not mistake the reply that another claim stored for its own', async () => {
  const candidate = await halfWritten();
  const shown = app.get(LiveReplies).current(candidate.id);
  await app.sql(`update job set due_at = $2 where key = $1`, [candidate.id, app.clock.now()]);
  await work(other);
  const stored = await candidate.lines();

  app.model.release();
  await settled(app);

  expect(shown?.text).toContain('From the first process.');
  expect(shown?.end).toBe('broken');
  expect(await candidate.lines()).toEqual(stored);
});

test('a drain hands the answer back, and another process replies', async () => {
  const candidate = await halfWritten();
  const leaving = app;

  expect(await leaving.worker.handBack()).toBe(1);
  await work(other);

  expect(await candidate.attempts()).toEqual(['aborted', 'ok']);
  expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
  expect(await candidate.replies()).toHaveLength(1);
  app.model.release();
});

test('a drain does not wait for a reply that cannot be stored', async () => {
  const candidate = await halfWritten();
  const leaving = app;
  const lock = jest.spyOn(leaving.get(ConversationRepository), 'lock');
  lock.mockRejectedValue(new DatabaseBusyError('another transaction holds the conversation'));
  app.model.release();
  await untilInProcess('the lock is requested', () => lock.mock.calls.length > 0);

  const handedBack = await inTime(app, leaving.worker.handBack(), 5);
  lock.mockRestore();
  await work(other);

  expect(handedBack).toBe(1);
  expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the second process\./)]);
});

test('after ten claims without progress an answer goes to a person', async () => {
  const candidate = await newCandidate(app);
  const answerId = await candidate.say(words());
  pause(app);
  await app.sql(
    `update job set state = 'running', claim_no = 10, claims_without_progress = 10, due_at = $2
     where id = $1`,
    [answerId, app.clock.now()],
  );
  const requestsBefore = app.model.requests.length;

  await work(other);

  expect(app.model.requests).toHaveLength(requestsBefore);
  expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }]);
  expect(await candidate.attention()).toMatchObject([{ kind: 'dead' }]);
  expect(await candidate.notices()).toHaveLength(1);
});

describe('a reply that was shown and cannot be stored immediately', () => {
  let proxy: CuttingProxy;
  let remote: TestApp;

  beforeAll(async () => {
    proxy = await CuttingProxy.start(app.databaseUrl);
    remote = await startOther(app, { databaseUrl: proxy.url });
    await remote.worker.tick();
  });

  afterAll(async () => {
    await remote.close();
    await proxy.close();
  });

  async function written() {
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(remote, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(remote, candidate.id) === 'From the first process.',
    );
    const shown = remote.get(LiveReplies).current(candidate.id);
    return { candidate, shown };
  }

  test.each([
    ['succeeds, but its result is lost', 'after'],
    ['never reaches the database', 'before'],
  ] as const)('whose COMMIT %s is stored once and shown to its end', async (_, cut) => {
    const { candidate, shown } = await written();
    const requestsBefore = app.model.requests.length;
    proxy.cutNextCommit(cut);

    app.model.release();
    await inTime(app, settled(remote));

    expect(proxy.cuts).toBe(1);
    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(shown?.end).toMatchObject({ isPartial: false });
    expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the first process\./)]);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
    expect(await candidate.attempts()).toEqual(['ok']);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await candidate.state()).toMatchObject({ question: 1, metadata_version: 1 });
  });

  test('stays in memory while the database is down for longer than a lease', async () => {
    const { candidate } = await written();
    const requestsBefore = app.model.requests.length;
    await proxy.goDown();

    app.model.release();
    for (let passedMs = 0; passedMs < 2 * LEASE_MS; passedMs += 100) {
      app.clock.advance(100);
      await turnOfLoop();
    }
    expect(await candidate.replies()).toEqual([]);
    await proxy.comeUp();
    await inTime(app, settled(remote));

    expect(await candidate.replies()).toEqual([expect.stringMatching(/^From the first process\./)]);
    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
  });

  test('stays in memory while another transaction holds the conversation', async () => {
    const { candidate } = await written();
    const holder = app.get(DataSource).createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from conversation where id = $1 for update', [candidate.id]);

    app.model.release();
    const closing = inTime(app, settled(remote));
    const gaveUp = (): Promise<number> =>
      remote.metrics('uow_commits_total', { label: 'turn.close', outcome: 'rolled_back' });
    const before = await gaveUp();
    await untilInProcess('a commit gave up', async () => (await gaveUp()) > before);
    await holder.rollbackTransaction();
    await holder.release();
    await closing;

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
  });
});
