import { DataSource, type QueryRunner } from 'typeorm';
import { TurnOpening } from '../../src/interview/turn/turn-opening';
import { TurnRepository } from '../../src/interview/turn/turn.repository';
import { LiveReplies } from '../../src/streams';
import { untilInProcess } from '../support/until';
import {
  LEASE_MS,
  startInterviews,
  startOther,
  closeInterviews,
  words,
  pause,
  work,
  settled,
  visible,
} from './interviews';
import { newCandidate } from './interviewee';
import type { TestApp } from '../support/app';

/** The lock order of a turn's commits, and their fencing. */

let app: TestApp;
let other: TestApp;
let holder: QueryRunner;

beforeAll(async () => {
  app = await startInterviews();
  other = await startOther(app);
  await other.worker.tick();
});
beforeEach(() => {
  holder = app.get(DataSource).createQueryRunner();
});
afterEach(async () => {
  jest.restoreAllMocks();
  app.model.release();
  await settled(app);
  if (holder.isTransactionActive) await holder.rollbackTransaction();
  await holder.release();
});
afterAll(() => closeInterviews(app));

const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"Half. A',
  rest: 'nd the rest."}',
} as const;

async function holdConversation(id: string): Promise<void> {
  await holder.startTransaction();
  await holder.query('select 1 from conversation where id = $1 for no key update', [id]);
}

/** Whether no transaction holds the row of the conversation's job. */
async function isJobFree(id: string): Promise<boolean> {
  const rows = await app
    .get(DataSource)
    .query<unknown[]>(
      `select 1 from job where queue = 'flush' and key = $1 for update skip locked`,
      [id],
    );
  return rows.length === 1;
}

/** Whether the job stays unlocked while `work` waits for the lock on the conversation. */
async function isJobFreeDuring(id: string, work: () => Promise<unknown>): Promise<boolean> {
  await holdConversation(id);
  const done = work();
  await app.untilLockWait();
  const isFree = await isJobFree(id);
  await holder.rollbackTransaction();
  await done;
  return isFree;
}

describe('locks the conversation before the job:', () => {
  test('turn.open', async () => {
    const candidate = await newCandidate(app);
    await candidate.say(words());
    pause(app);

    expect(await isJobFreeDuring(candidate.id, () => work(app))).toBe(true);

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
  });

  test('turn.close', async () => {
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === 'Half.',
    );
    const close = (): Promise<void> => {
      app.model.release();
      return settled(app);
    };

    expect(await isJobFreeDuring(candidate.id, close)).toBe(true);

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
  });

  test('giving up an answer', async () => {
    const candidate = await newCandidate(app);
    const answerId = await candidate.say(words());
    // The worker takes over after one lease with its connection.
    await app.worker.tick();
    app.clock.advance(6000);
    await app.sql(
      `update job set state = 'running', claim_no = 1, failures = 5, due_at = $2 where id = $1`,
      [answerId, app.clock.now()],
    );

    expect(await isJobFreeDuring(candidate.id, () => work(app))).toBe(true);

    expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }]);
  });

  test.each(['stop', 'withdraw', 'askForPerson'] as const)('%s', async (what) => {
    const candidate = await newCandidate(app);
    await candidate.say(words());

    expect(await isJobFreeDuring(candidate.id, () => candidate[what]())).toBe(true);

    pause(app);
    await work(app);
  });
});

test('turn.open sees a withdrawal that commits while it waits for the lock, and sends no request', async () => {
  const candidate = await newCandidate(app);
  const requestsBefore = app.model.requests.length;
  await candidate.say(words());
  pause(app);
  await holdConversation(candidate.id);
  await holder.query(`update conversation set status = 'withdrawn' where id = $1`, [candidate.id]);

  await app.worker.tick();
  await app.untilLockWait();
  await holder.commitTransaction();
  await settled(app);

  expect(app.model.requests).toHaveLength(requestsBefore);
  expect(await candidate.replies()).toEqual([]);
});

describe('a claim that has lost its job', () => {
  test('before turn.open opens no turn and sends no request', async () => {
    const candidate = await newCandidate(app);
    const requestsBefore = app.model.requests.length;
    await candidate.say(words());
    pause(app);
    const opening = app.get(TurnOpening);
    const open = opening.open.bind(opening);
    jest.spyOn(opening, 'open').mockImplementationOnce(async (tx, flush, server) => {
      const claim = 'update job set claim_no = claim_no + 1 where id = $1';
      await app.get(DataSource).query(claim, [flush.answerId]);
      return open(tx, flush, server);
    });

    await work(app);

    expect(await candidate.turns()).toEqual([]);
    expect(app.model.requests).toHaveLength(requestsBefore);
  });

  test('between turn.open and the call sends no request', async () => {
    const candidate = await newCandidate(app);
    const requestsBefore = app.model.requests.length;
    await candidate.say(words());
    pause(app);
    const replies = app.get(LiveReplies);
    const begin = replies.begin.bind(replies);
    jest.spyOn(replies, 'begin').mockImplementationOnce((origin, claim) => {
      app.clock.advance(LEASE_MS);
      return begin(origin, claim);
    });

    await work(app);
    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(await candidate.attempts()).toEqual(['aborted']);

    await work(other);
    expect(await candidate.replies()).toHaveLength(1);
  });

  test('is impossible during turn.close, which locks the job', async () => {
    const candidate = await newCandidate(app);
    const turns = app.get(TurnRepository);
    const storeReply = turns.storeReply.bind(turns);
    const free: boolean[] = [];
    jest.spyOn(turns, 'storeReply').mockImplementationOnce(async (...of) => {
      free.push(await isJobFree(candidate.id));
      return storeReply(...of);
    });

    await candidate.answer(words());

    expect(free).toEqual([false]);
  });
});

test('a turn has the interview step of its opening, not of its message', async () => {
  const candidate = await newCandidate(app);
  app.model.next({
    kind: 'hold',
    content: '{"verdict":"answered","text":"Thank',
    rest: ' you."}',
  });
  await candidate.start(app, words());
  await candidate.say(words());
  app.model.release();
  await settled(app);

  pause(app);
  await work(app);

  expect(await candidate.turns()).toMatchObject([{ interview_step: 0 }, { interview_step: 1 }]);
});
