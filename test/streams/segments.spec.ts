import { DataSource } from 'typeorm';
import { LiveReplies, SegmentRepository } from '../../src/streams';
import type { RunningTurn } from '../../src/streams/segment.repository';
import { HALF, HalfReplies } from './half-reply';
import { LEASE_MS, closeInterviews } from '../interview/interviews';

let setup: HalfReplies;

beforeAll(async () => {
  setup = await HalfReplies.open();
});
afterEach(() => setup.rest());
afterAll(() => closeInterviews(setup.app));

/** A reply that is being written, read from the rows. */
async function outside(conversationId: string): Promise<RunningTurn | undefined> {
  const { app } = setup;
  const of = { conversationIds: [conversationId], turnIds: [] };
  const [turn] = await app.commit((tx) => app.get(SegmentRepository).readTurns(tx, of));
  return turn;
}

async function put(turnId: string, pieces: readonly (readonly [number, number, string])[]) {
  for (const [epoch, startAt, text] of pieces) {
    await setup.app.sql(
      'insert into turn_segment (turn_id, epoch, start_at, text) values ($1, $2, $3, $4)',
      [turnId, epoch, startAt, text],
    );
  }
}

const LOST = [
  ['was taken over', 'claim_no = claim_no + 1'],
  ['ended and waits for a retry', `state = 'retry', due_at = 'infinity'`],
] as const;

describe('the growth of a reply', () => {
  test('is stored from where the last piece ended', async () => {
    const { reply } = await setup.begin();
    await setup.write();
    reply.append(' more');
    await setup.write();
    await setup.write();

    expect(await setup.segments(reply.origin.turnId)).toEqual([
      { start_at: 0, text: HALF },
      { start_at: 4, text: ' more' },
    ]);
  });

  test('is committed without waiting for the disk; other commits wait', async () => {
    const { app } = setup;
    const told = await app.commit(async (tx) => {
      await app.get(SegmentRepository).write(tx, []);
      return tx.query('show synchronous_commit');
    });
    const next = await app.commit((tx) => tx.query('show synchronous_commit'));

    expect(told).toEqual([{ synchronous_commit: 'off' }]);
    expect(next).toEqual([{ synchronous_commit: 'on' }]);
  });

  test.each(LOST)('whose claim %s is not stored', async (_, change) => {
    const { candidate, reply } = await setup.begin();
    await setup.app.sql(`update job set ${change} where queue = 'flush' and key = $1`, [
      candidate.id,
    ]);

    await setup.write();

    expect(await setup.segments(reply.origin.turnId)).toEqual([]);
  });

  test('is not stored after the lease has ended by the process clock', async () => {
    const { reply } = await setup.begin();
    setup.app.clock.advance(LEASE_MS);

    await setup.write();

    expect(await setup.segments(reply.origin.turnId)).toEqual([]);
  });

  test('skips a locked job and is stored whole the next time', async () => {
    const { candidate, reply } = await setup.begin();
    const holder = setup.app.get(DataSource).createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from job where key = $1 for update', [candidate.id]);
    try {
      await setup.write();
      expect(await setup.segments(reply.origin.turnId)).toEqual([]);
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }

    await setup.write();

    expect(await setup.segments(reply.origin.turnId)).toEqual([{ start_at: 0, text: HALF }]);
  });
});

describe('a reply read from its pieces', () => {
  test('has the text of the running epoch up to the first gap', async () => {
    const { candidate, reply } = await setup.begin();
    const pieces = [
      [1, 20, 'lost'],
      [1, 2, 's. of'],
      [1, 0, HALF],
      [0, 0, 'Before'],
    ] as const;
    await put(reply.origin.turnId, pieces);

    expect(await outside(candidate.id)).toMatchObject({
      isRunning: true,
      epoch: 1,
      text: 'Yes. of',
      replyText: null,
    });
  });

  test('has the text of the last epoch that stored any', async () => {
    const { reply } = await setup.begin();
    const { app } = setup;
    const { turnId } = reply.origin;
    await put(turnId, [
      [1, 2, 's.'],
      [0, 0, 'Before'],
      [1, 0, 'Ye'],
      [0, 6, ' that'],
    ]);

    const text = await app.commit((tx) => app.get(SegmentRepository).lastText(tx, turnId));

    expect(text).toBe(HALF);
  });

  test.each(LOST)('is not running when its claim %s', async (_, change) => {
    const { candidate } = await setup.begin();
    await setup.app.sql(`update job set ${change} where queue = 'flush' and key = $1`, [
      candidate.id,
    ]);

    expect(await outside(candidate.id)).toMatchObject({ isRunning: false });
  });
});

test('deletes the pieces of a reply when it is stored', async () => {
  const { candidate, reply } = await setup.begin();
  await setup.write();
  await setup.rest();

  expect(setup.app.get(LiveReplies).current(candidate.id)).toBeUndefined();
  expect(await setup.segments(reply.origin.turnId)).toEqual([]);
});
