import type { ReadyBoard } from '../../../../src/notion-sync/sync/board-runner';
import { LeaseLostError } from '../../../../src/jobs';
import { RANKED } from './board-queue';
import { inCommit, queueOf } from '../../../support/jobs';
import { gate } from '../../../../tools/http-fake/gate';
import { ADA, BOB, EVE, LEASE_MS, QUIET_MS, BoardQueue } from './board-queue';

let setup: BoardQueue;

beforeAll(async () => {
  setup = await BoardQueue.open();
});
afterAll(() => setup.close());
afterEach(() => setup.reset());

describe('the queue', () => {
  test('runs boards in the order in which they became ready', async () => {
    await setup.mark('event', EVE);
    setup.pass(1);
    await setup.mark('event', ADA);
    setup.pass(1);
    await setup.mark('event', BOB);
    setup.pass(1);
    await setup.mark('event', EVE);
    setup.pass(QUIET_MS);
    await setup.workAll();

    expect(setup.boards.began).toEqual([ADA, BOB, EVE]);
  });

  test('a board that changes again while it runs is ranked again after the others: U1, U2, U1', async () => {
    const ada = await setup.hold(ADA);
    await setup.mark('event', BOB);
    setup.pass(1);
    await setup.mark('event', ADA);
    await ada.end();
    setup.pass(QUIET_MS);
    await setup.workAll();

    expect(setup.boards.began).toEqual([ADA, BOB, ADA]);
  });

  test('a continued run knows whether its board was also requested by a new change', async () => {
    const told: boolean[] = [];
    setup.boards.behave = ({ isAskedAgain }) => {
      told.push(isAskedAgain);
      return RANKED;
    };
    await setup.mark('rest', ADA);
    await setup.work();
    await setup.mark('rest', ADA);
    await setup.mark('event', ADA);
    await setup.work();
    expect(told).toEqual([false, true]);

    setup.boards.behave = () => {
      throw new Error('the board itself');
    };
    await setup.mark('rest', ADA);
    await setup.work();
    await setup.mark('event', ADA);
    setup.boards.behave = ({ isAskedAgain }) => {
      told.push(isAskedAgain);
      return RANKED;
    };
    setup.pass(600_000);
    await setup.workAll();
    expect(told).toEqual([false, true, true]);
  });

  test('a run knows whether another board waits', async () => {
    const told: boolean[] = [];
    setup.boards.behave = async ({ userId, isAnotherReady }) => {
      if (userId !== ADA) return RANKED;
      told.push(await isAnotherReady());
      await setup.mark('event', BOB);
      await setup.mark('rest', ADA);
      told.push(await isAnotherReady());
      setup.pass(QUIET_MS);
      told.push(await isAnotherReady());
      setup.boards.behave = () => RANKED;
      return RANKED;
    };
    await setup.mark('rest', ADA);
    await setup.workAll();

    expect(told).toEqual([false, false, true]);
  });

  test('a run knows the next boards with their requests', async () => {
    const next: (readonly ReadyBoard[])[] = [];
    const own: ReadyBoard[] = [];
    setup.boards.behave = async ({ userId, request, nextReady }) => {
      next.push(await nextReady());
      if (request !== null) own.push({ userId, request });
      return RANKED;
    };
    for (const user of [ADA, BOB, EVE]) await setup.mark('rest', user);
    await setup.workAll();

    const [ada, bob, eve] = own;
    expect(own.map(({ userId: user }) => user)).toEqual([ADA, BOB, EVE]);
    expect(next).toEqual([[bob, eve], [eve], []]);
    expect(ada?.request.requests).toBe(1);
  });

  test('a new request for the next board is noticed by its changed request', async () => {
    const next: (readonly ReadyBoard[])[] = [];
    const own: unknown[] = [];
    setup.boards.behave = async ({ userId, request, nextReady }) => {
      if (userId === BOB) own.push(request);
      next.push(await nextReady());
      if (userId === ADA) await setup.mark('event', BOB);
      return RANKED;
    };
    await setup.mark('rest', ADA);
    await setup.mark('rest', BOB);
    await setup.workAll();

    const request = next[0]?.[0]?.request;
    expect(request?.requests).toBe(1);
    expect(own).toEqual([{ ...request, requests: 2 }]);

    // The claim joins a second job of the same key, and cannot tell when that one was written.
    setup.boards.behave = () => Promise.reject(new Error('a bug'));
    await setup.mark('rest', BOB);
    await setup.work();
    await setup.mark('event', BOB);
    setup.boards.behave = ({ request: joined }) => {
      own.push(joined);
      return RANKED;
    };
    setup.pass(QUIET_MS);
    await setup.workAll();
    expect(own.slice(1)).toEqual([null]);
  });

  test('500 changes of one board are one run', async () => {
    for (let n = 0; n < 500; n += 1) await setup.mark('event', ADA);
    setup.pass(QUIET_MS);
    await setup.workAll();

    expect(setup.boards.began).toEqual([ADA]);
  });

  test('is worked by one process at a time', async () => {
    const ada = await setup.hold(ADA);
    await setup.mark('rest', BOB);
    const other = setup.another();

    expect(await setup.work(other)).toBe(0);
    await ada.end();
    expect(await setup.work(other)).toBe(1);
    expect(setup.boards.began).toEqual([ADA, BOB]);
  });
});

describe('while a board runs', () => {
  test('any number of changes leads to one more run, at the end of the queue', async () => {
    const ada = await setup.hold(ADA);
    for (let n = 0; n < 20; n += 1) await setup.mark('event', ADA);
    await setup.mark('rest', BOB);
    await ada.end();
    await setup.workAll();
    setup.pass(QUIET_MS);
    await setup.workAll();

    expect(setup.boards.began).toEqual([ADA, BOB, ADA]);
    expect(await setup.live()).toEqual([]);
  });

  test('a change just before the run ends is not lost', async () => {
    setup.boards.behave = async () => {
      await setup.mark('event', ADA);
      return RANKED;
    };
    await setup.mark('rest', ADA);
    await setup.work();

    expect(await setup.dueInMs(ADA)).toBe(QUIET_MS);
  });
});

describe('a change whose commit is still under way', () => {
  /** Marks Ada's board in a commit that stays open until `commit` is called. */
  async function markSlowly(): Promise<{ commit(): Promise<void> }> {
    const [marked, mayCommit] = [gate(), gate()];
    const marking = inCommit(setup.units, async (tx) => {
      await setup.process.schedule.mark(tx, [ADA], 'event');
      marked.open();
      await mayCommit.opened;
    });
    await marked.opened;
    return {
      commit: () => {
        mayCommit.open();
        return marking;
      },
    };
  }

  test('when a run ends leads to another run', async () => {
    const ada = await setup.hold(ADA);
    const change = await markSlowly();
    await ada.end();
    expect(await setup.live()).toEqual([]);

    await change.commit();
    expect(await setup.dueInMs(ADA)).toBe(QUIET_MS);
  });

  test('and has joined an open job is covered by the claim that absorbs the job', async () => {
    const begun = gate();
    setup.boards.behave = () => {
      if (setup.boards.began.length === 1) return Promise.reject(new Error('a bug'));
      begun.open();
      return RANKED;
    };
    await setup.mark('rest', ADA);
    await setup.work();
    await setup.mark('event', ADA);
    setup.pass(QUIET_MS);
    const change = await markSlowly();
    expect(await setup.process.rig.worker.tick()).toBe(1);
    expect(setup.boards.began).toEqual([ADA]);

    await change.commit();
    await begun.opened;
    await setup.settled();
    expect(await setup.live()).toEqual([]);
    expect(setup.boards.began).toEqual([ADA, ADA]);
  });
});

describe('a claim', () => {
  test('absorbs requests before its query: a retry and the open job of its board are one run', async () => {
    setup.boards.behave = () => Promise.reject(new Error('a bug'));
    await setup.mark('rest', ADA);
    await setup.work();
    await setup.mark('event', ADA);
    expect((await setup.live()).map(({ state }) => state)).toEqual(['retry', 'open']);

    setup.boards.behave = () => RANKED;
    setup.pass(QUIET_MS);
    await setup.workAll();

    expect(setup.boards.began).toEqual([ADA, ADA]);
    expect(await setup.live()).toEqual([]);
  });

  test('that was taken over does not begin; the open job is left for the other claim', async () => {
    await setup.mark('rest', ADA);
    const {
      rows: [row],
    } = await setup.process.rig.claims.claimReady(queueOf('notion-sync'), 1);
    if (row === undefined) throw new Error('nothing was claimed');
    await setup.mark('event', ADA);
    await setup.sql(`update job set claim_no = claim_no + 1 where state = 'running'`);
    const claim = { ...row, takenOver: false };
    const beginning = setup.units.run('test', (uow) =>
      uow.commitOne('test', (tx) => setup.process.schedule.begin(tx, claim)),
    );

    await expect(beginning).rejects.toBeInstanceOf(LeaseLostError);
    expect((await setup.live()).map(({ state }) => state)).toEqual(['running', 'open']);
  });

  test('whose process dies before it absorbs the open job leaves that job for the next claim', async () => {
    await setup.mark('rest', ADA);
    await setup.process.rig.claims.claimReady(queueOf('notion-sync'), 1);
    await setup.mark('event', ADA);
    setup.crash();
    setup.pass(LEASE_MS);
    await setup.workAll();

    expect(setup.boards.began).toEqual([ADA]);
    expect(await setup.live()).toEqual([]);
  });
});

test('the board of a person who never stops editing is ranked once in each longest wait', async () => {
  for (let second = 0; second < 180; second += 1) {
    await setup.mark('event', ADA);
    setup.pass(1000);
    await setup.work();
  }

  expect(setup.boards.began).toHaveLength(3);
});
