import { NotionUnavailableError } from '../../../src/notion-sync/api/errors';
import type { RunEnd } from '../../../src/notion-sync/sync/board-run';
import { LeaseLostError } from '../../../src/jobs';
import { NO_COUNTS, RANKED } from '../../support/notion-schedule';
import { inCommit } from '../../support/jobs';
import { ADA, BOB, LEASE_MS, QUIET_MS, ScheduleFixture } from './fixture';

let fixture: ScheduleFixture;

beforeAll(async () => {
  fixture = await ScheduleFixture.open();
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

function endsAs(kind: RunEnd['kind'], reason?: string): RunEnd {
  return { kind, counts: NO_COUNTS, ...(reason === undefined ? {} : { reason }) };
}

describe('a crashed run', () => {
  test('is taken over once its lease has ended; other boards do not wait any longer', async () => {
    const ada = await fixture.hold(ADA);
    const takenOver: boolean[] = [];
    await fixture.mark('rest', BOB);
    fixture.crash();
    fixture.boards.behave = ({ isTakenOver }) => {
      takenOver.push(isTakenOver);
      return RANKED;
    };

    fixture.pass(LEASE_MS - 1);
    expect(await fixture.work()).toBe(0);
    fixture.pass(1);
    await fixture.workAll();
    expect(fixture.boards.began).toEqual([ADA, ADA, BOB]);
    expect(takenOver).toEqual([true, false]);
    await ada.end();
  });

  test('that resumes later can neither write, call Notion nor end its job', async () => {
    const ada = await fixture.hold(ADA);
    fixture.crash();
    fixture.boards.behave = () => RANKED;
    fixture.pass(LEASE_MS);
    await fixture.workAll();

    const writing = inCommit(fixture.db.units, (tx) => ada.flow.fence(tx));
    await expect(writing).rejects.toBeInstanceOf(LeaseLostError);
    expect(() => {
      ada.flow.assertLease();
    }).toThrow(LeaseLostError);
    await ada.end();
    expect(await fixture.status(ADA)).toMatchObject({ runs: '1', state: 'idle' });
  });
});

describe('a partly written board', () => {
  test('continues after the boards that are already ready', async () => {
    let chunks = 0;
    fixture.boards.behave = ({ userId }) => {
      if (userId === ADA) chunks += 1;
      return endsAs(userId === ADA && chunks < 3 ? 'partly' : 'ranked');
    };
    await fixture.mark('approval', ADA);
    fixture.pass(1);
    await fixture.mark('rest', BOB);
    fixture.pass(1);
    await fixture.workAll();

    expect(fixture.boards.began).toEqual([ADA, BOB, ADA, ADA]);
    expect(await fixture.status(ADA)).toMatchObject({ runs: '3', reruns: '2', last_end: 'ranked' });
  });
});

describe('a board that cannot be read', () => {
  test('ends its job, is counted, and is logged once while nothing changes', async () => {
    fixture.boards.behave = () => endsAs('refused', 'it has no property "Importance"');
    for (let n = 0; n < 2; n += 1) {
      await fixture.mark('rest', ADA);
      await fixture.workAll();
    }

    expect(await fixture.live()).toEqual([]);
    expect(await fixture.metric('colloquy_notion_runs_total{end="refused"}')).toBe(2);
    const told = fixture.logged.filter((line) => line.includes('Importance'));
    expect(told).toHaveLength(1);
    expect(await fixture.status(ADA)).toMatchObject({
      last_end: 'refused',
      last_reason: 'it has no property "Importance"',
    });

    fixture.boards.behave = () => RANKED;
    await fixture.mark('rest', ADA, BOB);
    await fixture.workAll();
    expect(fixture.boards.began.slice(2)).toEqual([ADA, BOB]);
  });
});

describe('failures', () => {
  test('of Notion as a whole count for no board, and no useless calls are made', async () => {
    fixture.boards.behave = () =>
      Promise.reject(new NotionUnavailableError('away', { mayHaveArrived: false }));
    await fixture.mark('rest', ADA, BOB);
    await fixture.work();
    expect(await fixture.work()).toBe(0);
    expect((await fixture.live()).map(({ state }) => state).sort()).toEqual(['open', 'retry']);

    fixture.boards.behave = (flow) => {
      flow.peerResponded();
      return RANKED;
    };
    fixture.pass(60_000);
    await fixture.workAll();
    expect(await fixture.live()).toEqual([]);
  });

  test('of Notion for one board count for that board: others are ranked, and it is given up at last', async () => {
    fixture.boards.behave = (flow) => {
      if (flow.userId === ADA) {
        return Promise.reject(new NotionUnavailableError('504', { mayHaveArrived: true }));
      }
      flow.peerResponded();
      return RANKED;
    };
    await fixture.mark('rest', ADA);
    await fixture.workAll();
    for (let n = 0; n < 5; n += 1) {
      await fixture.mark('rest', BOB);
      fixture.pass(3000);
      await fixture.workAll();
      expect(await fixture.status(BOB)).toMatchObject({ state: 'idle' });
      // If Ada's board ran first, only Bob's run has shown that Notion works.
      fixture.pass(300_000);
      await fixture.workAll();
    }
    expect(await fixture.status(ADA)).toMatchObject({ state: 'idle', last_end: 'dead' });
    expect(fixture.boards.givenUpOn).toEqual([ADA]);
  });

  test('of one board do not hold back other boards', async () => {
    fixture.boards.behave = ({ userId }) =>
      userId === ADA ? Promise.reject(new Error('a bug')) : RANKED;
    await fixture.mark('rest', ADA);
    fixture.pass(1);
    await fixture.mark('rest', BOB);
    await fixture.workAll();

    expect(fixture.boards.began).toEqual([ADA, BOB]);
    expect(await fixture.status(ADA)).toMatchObject({ state: 'retry', failures: 1 });
    expect(await fixture.metric('colloquy_notion_runs_total{end="failed"}')).toBe(1);
  });

  test('lead to a dead job, and the board is given up; the next change starts again', async () => {
    fixture.boards.behave = () => Promise.reject(new Error('a bug'));
    await fixture.mark('rest', ADA);
    for (let n = 0; n < 5; n += 1) {
      await fixture.workAll();
      fixture.pass(300_000);
    }
    expect(await fixture.sql(`select key from job where state = 'dead'`)).toEqual([{ key: ADA }]);
    expect(await fixture.status(ADA)).toMatchObject({ state: 'idle', last_end: 'dead' });
    expect(fixture.boards.givenUpOn).toEqual([ADA]);

    fixture.boards.behave = () => RANKED;
    await fixture.mark('event', ADA);
    fixture.pass(QUIET_MS);
    await fixture.workAll();
    expect(await fixture.status(ADA)).toMatchObject({ last_end: 'ranked', runs: '1' });
  });
});
