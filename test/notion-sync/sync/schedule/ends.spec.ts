import { NotionUnavailableError } from '../../../../src/notion-sync/api/errors';
import type { RunEnd } from '../../../../src/notion-sync/sync/board-runner';
import { LeaseLostError } from '../../../../src/jobs';
import { NO_COUNTS, RANKED } from './board-queue';
import { inCommit } from '../../../support/jobs';
import { ADA, BOB, LEASE_MS, QUIET_MS, BoardQueue } from './board-queue';

let setup: BoardQueue;

beforeAll(async () => {
  setup = await BoardQueue.open();
});
afterAll(() => setup.close());
afterEach(() => setup.reset());

function endsAs(kind: RunEnd['kind'], reason?: string): RunEnd {
  return { kind, counts: NO_COUNTS, ...(reason === undefined ? {} : { reason }) };
}

describe('a crashed run', () => {
  test('is taken over once its lease has ended; other boards do not wait any longer', async () => {
    const ada = await setup.hold(ADA);
    const takenOver: boolean[] = [];
    await setup.mark('rest', BOB);
    setup.crash();
    setup.boards.behave = ({ isTakenOver }) => {
      takenOver.push(isTakenOver);
      return RANKED;
    };

    setup.pass(LEASE_MS - 1);
    expect(await setup.work()).toBe(0);
    setup.pass(1);
    await setup.workAll();
    expect(setup.boards.began).toEqual([ADA, ADA, BOB]);
    expect(takenOver).toEqual([true, false]);
    await ada.end();
  });

  test('that resumes later can neither write, call Notion nor end its job', async () => {
    const ada = await setup.hold(ADA);
    setup.crash();
    setup.boards.behave = () => RANKED;
    setup.pass(LEASE_MS);
    await setup.workAll();

    const writing = inCommit(setup.units, (tx) => ada.flow.fence(tx));
    await expect(writing).rejects.toBeInstanceOf(LeaseLostError);
    expect(() => {
      ada.flow.assertLease();
    }).toThrow(LeaseLostError);
    await ada.end();
    expect(await setup.status(ADA)).toMatchObject({ runs: '1', state: 'idle' });
  });
});

describe('a partly written board', () => {
  test('continues after the boards that are already ready', async () => {
    let chunks = 0;
    setup.boards.behave = ({ userId }) => {
      if (userId === ADA) chunks += 1;
      return endsAs(userId === ADA && chunks < 3 ? 'partly' : 'ranked');
    };
    await setup.mark('approval', ADA);
    setup.pass(1);
    await setup.mark('rest', BOB);
    setup.pass(1);
    await setup.workAll();

    expect(setup.boards.began).toEqual([ADA, BOB, ADA, ADA]);
    expect(await setup.status(ADA)).toMatchObject({ runs: '3', reruns: '2', last_end: 'ranked' });
  });
});

describe('a board that cannot be read', () => {
  test('ends its job, is counted, and is logged once while nothing changes', async () => {
    setup.boards.behave = () => endsAs('refused', 'it has no property "Importance"');
    for (let n = 0; n < 2; n += 1) {
      await setup.mark('rest', ADA);
      await setup.workAll();
    }

    expect(await setup.live()).toEqual([]);
    expect(await setup.metrics('notion_runs_total', { end: 'refused' })).toBe(2);
    const told = setup.log.lines.filter((line) => line.includes('Importance'));
    expect(told).toHaveLength(1);
    expect(await setup.status(ADA)).toMatchObject({
      last_end: 'refused',
      last_reason: 'it has no property "Importance"',
    });

    setup.boards.behave = () => RANKED;
    await setup.mark('rest', ADA, BOB);
    await setup.workAll();
    expect(setup.boards.began.slice(2)).toEqual([ADA, BOB]);
  });
});

describe('failures', () => {
  test('of Notion as a whole count for no board, and no useless calls are made', async () => {
    setup.boards.behave = () =>
      Promise.reject(new NotionUnavailableError('away', { mayHaveArrived: false }));
    await setup.mark('rest', ADA, BOB);
    await setup.work();
    expect(await setup.work()).toBe(0);
    expect((await setup.live()).map(({ state }) => state).sort()).toEqual(['open', 'retry']);

    setup.boards.behave = (flow) => {
      flow.peerResponded();
      return RANKED;
    };
    setup.pass(60_000);
    await setup.workAll();
    expect(await setup.live()).toEqual([]);
  });

  test('of Notion for one board count for that board: others are ranked, and it is given up at last', async () => {
    setup.boards.behave = (flow) => {
      if (flow.userId === ADA) {
        return Promise.reject(new NotionUnavailableError('504', { mayHaveArrived: true }));
      }
      flow.peerResponded();
      return RANKED;
    };
    await setup.mark('rest', ADA);
    await setup.workAll();
    for (let n = 0; n < 5; n += 1) {
      await setup.mark('rest', BOB);
      setup.pass(3000);
      await setup.workAll();
      expect(await setup.status(BOB)).toMatchObject({ state: 'idle' });
      // If Ada's board ran first, only Bob's run has shown that Notion works.
      setup.pass(300_000);
      await setup.workAll();
    }
    expect(await setup.status(ADA)).toMatchObject({ state: 'idle', last_end: 'dead' });
    expect(setup.boards.givenUpOn).toEqual([ADA]);
  });

  test('of one board do not hold back other boards', async () => {
    setup.boards.behave = ({ userId }) =>
      userId === ADA ? Promise.reject(new Error('a bug')) : RANKED;
    await setup.mark('rest', ADA);
    setup.pass(1);
    await setup.mark('rest', BOB);
    await setup.workAll();

    expect(setup.boards.began).toEqual([ADA, BOB]);
    expect(await setup.status(ADA)).toMatchObject({ state: 'retry', failures: 1 });
    expect(await setup.metrics('notion_runs_total', { end: 'failed' })).toBe(1);
  });

  test('lead to a dead job, and the board is given up; the next change starts again', async () => {
    setup.boards.behave = () => Promise.reject(new Error('a bug'));
    await setup.mark('rest', ADA);
    for (let n = 0; n < 5; n += 1) {
      await setup.workAll();
      setup.pass(300_000);
    }
    expect(await setup.sql(`select key from job where state = 'dead'`)).toEqual([{ key: ADA }]);
    expect(await setup.status(ADA)).toMatchObject({ state: 'idle', last_end: 'dead' });
    expect(setup.boards.givenUpOn).toEqual([ADA]);

    setup.boards.behave = () => RANKED;
    await setup.mark('event', ADA);
    setup.pass(QUIET_MS);
    await setup.workAll();
    expect(await setup.status(ADA)).toMatchObject({ last_end: 'ranked', runs: '1' });
  });
});
