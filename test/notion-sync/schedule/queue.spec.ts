import type { ReadyBoard } from '../../../src/notion-sync/sync/board-run';
import { LeaseLostError } from '../../../src/jobs';
import { RANKED } from '../../support/notion-schedule';
import { inCommit, queueOf } from '../../support/jobs';
import { gate } from '../../../tools/http-fake/gate';
import { ADA, BOB, EVE, LEASE_MS, QUIET_MS, ScheduleFixture } from './fixture';

let fixture: ScheduleFixture;

beforeAll(async () => {
  fixture = await ScheduleFixture.open();
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

describe('the queue', () => {
  test('runs boards in the order in which they became ready', async () => {
    await fixture.mark('event', EVE);
    fixture.pass(1);
    await fixture.mark('event', ADA);
    fixture.pass(1);
    await fixture.mark('event', BOB);
    fixture.pass(1);
    await fixture.mark('event', EVE);
    fixture.pass(QUIET_MS);
    await fixture.workAll();

    expect(fixture.boards.began).toEqual([ADA, BOB, EVE]);
  });

  test('a board that changes again while it runs is ranked again after the others: U1, U2, U1', async () => {
    const ada = await fixture.hold(ADA);
    await fixture.mark('event', BOB);
    fixture.pass(1);
    await fixture.mark('event', ADA);
    await ada.end();
    fixture.pass(QUIET_MS);
    await fixture.workAll();

    expect(fixture.boards.began).toEqual([ADA, BOB, ADA]);
  });

  test('a continued run knows whether its board was also requested by a new change', async () => {
    const told: boolean[] = [];
    fixture.boards.behave = ({ isAskedAgain }) => {
      told.push(isAskedAgain);
      return RANKED;
    };
    await fixture.mark('rest', ADA);
    await fixture.work();
    await fixture.mark('rest', ADA);
    await fixture.mark('event', ADA);
    await fixture.work();
    expect(told).toEqual([false, true]);

    fixture.boards.behave = () => {
      throw new Error('the board itself');
    };
    await fixture.mark('rest', ADA);
    await fixture.work();
    await fixture.mark('event', ADA);
    fixture.boards.behave = ({ isAskedAgain }) => {
      told.push(isAskedAgain);
      return RANKED;
    };
    fixture.pass(600_000);
    await fixture.workAll();
    expect(told).toEqual([false, true, true]);
  });

  test('a run knows whether another board waits', async () => {
    const told: boolean[] = [];
    fixture.boards.behave = async ({ userId, isAnotherReady }) => {
      if (userId !== ADA) return RANKED;
      told.push(await isAnotherReady());
      await fixture.mark('event', BOB);
      await fixture.mark('rest', ADA);
      told.push(await isAnotherReady());
      fixture.pass(QUIET_MS);
      told.push(await isAnotherReady());
      fixture.boards.behave = () => RANKED;
      return RANKED;
    };
    await fixture.mark('rest', ADA);
    await fixture.workAll();

    expect(told).toEqual([false, false, true]);
  });

  test('a run knows the next boards with their requests', async () => {
    const next: (readonly ReadyBoard[])[] = [];
    const own: ReadyBoard[] = [];
    fixture.boards.behave = async ({ userId, request, nextReady }) => {
      next.push(await nextReady());
      if (request !== null) own.push({ userId, request });
      return RANKED;
    };
    for (const user of [ADA, BOB, EVE]) await fixture.mark('rest', user);
    await fixture.workAll();

    const [ada, bob, eve] = own;
    expect(own.map(({ userId: user }) => user)).toEqual([ADA, BOB, EVE]);
    expect(next).toEqual([[bob, eve], [eve], []]);
    expect(ada?.request.asks).toBe(1);
  });

  test('a new request for the next board is noticed by its changed request', async () => {
    const next: (readonly ReadyBoard[])[] = [];
    const own: unknown[] = [];
    fixture.boards.behave = async ({ userId, request, nextReady }) => {
      if (userId === BOB) own.push(request);
      next.push(await nextReady());
      if (userId === ADA) await fixture.mark('event', BOB);
      return RANKED;
    };
    await fixture.mark('rest', ADA);
    await fixture.mark('rest', BOB);
    await fixture.workAll();

    const request = next[0]?.[0]?.request;
    expect(request?.asks).toBe(1);
    expect(own).toEqual([{ ...request, asks: 2 }]);

    // The claim joins a second job of the same key, and cannot tell when that one was written.
    fixture.boards.behave = () => Promise.reject(new Error('a bug'));
    await fixture.mark('rest', BOB);
    await fixture.work();
    await fixture.mark('event', BOB);
    fixture.boards.behave = ({ request: joined }) => {
      own.push(joined);
      return RANKED;
    };
    fixture.pass(QUIET_MS);
    await fixture.workAll();
    expect(own.slice(1)).toEqual([null]);
  });

  test('500 changes of one board are one run', async () => {
    for (let n = 0; n < 500; n += 1) await fixture.mark('event', ADA);
    fixture.pass(QUIET_MS);
    await fixture.workAll();

    expect(fixture.boards.began).toEqual([ADA]);
  });

  test('is worked by one process at a time', async () => {
    const ada = await fixture.hold(ADA);
    await fixture.mark('rest', BOB);
    const other = fixture.another();

    expect(await fixture.work(other)).toBe(0);
    await ada.end();
    expect(await fixture.work(other)).toBe(1);
    expect(fixture.boards.began).toEqual([ADA, BOB]);
  });
});

describe('while a board runs', () => {
  test('any number of changes leads to one more run, at the end of the queue', async () => {
    const ada = await fixture.hold(ADA);
    for (let n = 0; n < 20; n += 1) await fixture.mark('event', ADA);
    await fixture.mark('rest', BOB);
    await ada.end();
    await fixture.workAll();
    fixture.pass(QUIET_MS);
    await fixture.workAll();

    expect(fixture.boards.began).toEqual([ADA, BOB, ADA]);
    expect(await fixture.live()).toEqual([]);
  });

  test('a change just before the run ends is not lost', async () => {
    fixture.boards.behave = async () => {
      await fixture.mark('event', ADA);
      return RANKED;
    };
    await fixture.mark('rest', ADA);
    await fixture.work();

    expect(await fixture.dueInMs(ADA)).toBe(QUIET_MS);
  });
});

describe('a change whose commit is still under way', () => {
  /** Marks Ada's board in a commit that stays open until `commit` is called. */
  async function markSlowly(): Promise<{ commit(): Promise<void> }> {
    const [marked, mayCommit] = [gate(), gate()];
    const marking = inCommit(fixture.db.units, async (tx) => {
      await fixture.process.schedule.mark(tx, [ADA], 'event');
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
    const ada = await fixture.hold(ADA);
    const change = await markSlowly();
    await ada.end();
    expect(await fixture.live()).toEqual([]);

    await change.commit();
    expect(await fixture.dueInMs(ADA)).toBe(QUIET_MS);
  });

  test('and has joined an open job is covered by the claim that absorbs the job', async () => {
    const begun = gate();
    fixture.boards.behave = () => {
      if (fixture.boards.began.length === 1) return Promise.reject(new Error('a bug'));
      begun.open();
      return RANKED;
    };
    await fixture.mark('rest', ADA);
    await fixture.work();
    await fixture.mark('event', ADA);
    fixture.pass(QUIET_MS);
    const change = await markSlowly();
    expect(await fixture.process.rig.worker.tick()).toBe(1);
    expect(fixture.boards.began).toEqual([ADA]);

    await change.commit();
    await begun.opened;
    await fixture.settled();
    expect(await fixture.live()).toEqual([]);
    expect(fixture.boards.began).toEqual([ADA, ADA]);
  });
});

describe('a claim', () => {
  test('absorbs requests before its query: a retry and the open job of its board are one run', async () => {
    fixture.boards.behave = () => Promise.reject(new Error('a bug'));
    await fixture.mark('rest', ADA);
    await fixture.work();
    await fixture.mark('event', ADA);
    expect((await fixture.live()).map(({ state }) => state)).toEqual(['retry', 'open']);

    fixture.boards.behave = () => RANKED;
    fixture.pass(QUIET_MS);
    await fixture.workAll();

    expect(fixture.boards.began).toEqual([ADA, ADA]);
    expect(await fixture.live()).toEqual([]);
  });

  test('that was taken over does not begin; the open job is left for the other claim', async () => {
    await fixture.mark('rest', ADA);
    const [row] = await fixture.process.rig.claims.claimReady(queueOf('notion-sync'), 1);
    if (row === undefined) throw new Error('nothing was claimed');
    await fixture.mark('event', ADA);
    await fixture.db.dataSource.query(
      `update job set claim_no = claim_no + 1 where state = 'running'`,
    );
    const claim = { ...row, takenOver: false };
    const beginning = fixture.db.units.run('test', (uow) =>
      uow.commitOne('test', (tx) => fixture.process.schedule.begin(tx, claim)),
    );

    await expect(beginning).rejects.toBeInstanceOf(LeaseLostError);
    expect((await fixture.live()).map(({ state }) => state)).toEqual(['running', 'open']);
  });

  test('whose process dies before it absorbs the open job leaves that job for the next claim', async () => {
    await fixture.mark('rest', ADA);
    await fixture.process.rig.claims.claimReady(queueOf('notion-sync'), 1);
    await fixture.mark('event', ADA);
    fixture.crash();
    fixture.pass(LEASE_MS);
    await fixture.workAll();

    expect(fixture.boards.began).toEqual([ADA]);
    expect(await fixture.live()).toEqual([]);
  });
});

test('the board of a person who never stops editing is ranked once in each longest wait', async () => {
  for (let second = 0; second < 180; second += 1) {
    await fixture.mark('event', ADA);
    fixture.pass(1000);
    await fixture.work();
  }

  expect(fixture.boards.began).toHaveLength(3);
});
