import { RankedBoard, ranksOf } from './ranked-board';

const setup = new RankedBoard();

describe('Notion itself', () => {
  test('revokes the token during a run: the run ends', async () => {
    const pages = setup.tasks(8);
    setup.notion.faults.on('updatePage', { kind: 'status', status: 401 }, { after: 2, times: 99 });

    await expect(setup.colloquy.run(setup.ada)).rejects.toMatchObject({
      code: 'notion_unauthorized',
    });
    expect(ranksOf(pages).filter((rank) => rank !== null)).toEqual([1, 2]);
    expect(setup.written.length).toBeLessThanOrEqual(5);
  });

  test.each([
    [
      429,
      () => {
        setup.notion.limits.pauseFor(3);
      },
    ],
    [
      529,
      () => {
        setup.notion.limits.overloadFor(3);
      },
    ],
  ])('asks for a short pause with %i: the run waits and then continues', async (status, ask) => {
    const pages = setup.tasks(5);
    setup.notion.faults.on('updatePage', { kind: 'hang' }, { after: 1 });
    const run = setup.colloquy.begin(setup.ada);
    await setup.untilHanging(run);
    ask();
    setup.notion.faults.release();

    expect(await setup.colloquy.end(run)).toMatchObject({ kind: 'ranked', counts: { updated: 5 } });
    expect(setup.notion.journal.refused(status).length).toBeGreaterThan(0);
    expect(ranksOf(pages)).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    [
      429,
      () => {
        setup.notion.limits.pauseFor(90);
      },
    ],
    [
      529,
      () => {
        setup.notion.limits.overloadFor(90);
      },
    ],
  ])(
    'asks for a long pause with %i: the run ends with an error, so that the job is retried later',
    async (_, ask) => {
      setup.tasks(5);
      setup.notion.faults.on('updatePage', { kind: 'hang' }, { after: 1 });
      const run = setup.colloquy.begin(setup.ada);
      await setup.untilHanging(run);
      ask();
      setup.notion.faults.release();

      const startedMs = setup.runs.nowMs;
      await expect(setup.colloquy.end(run)).rejects.toMatchObject({ code: 'notion_paused' });
      expect(setup.runs.nowMs - startedMs).toBeLessThan(5000);
    },
  );

  test('is down: the run ends with an error', async () => {
    setup.tasks(2);
    await setup.notion.goDown();
    try {
      await expect(setup.colloquy.run(setup.ada)).rejects.toMatchObject({
        code: 'notion_unavailable',
      });
    } finally {
      await setup.notion.comeUp();
    }
  });
});
