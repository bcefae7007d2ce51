import { RunStage, ranksOf } from './stage';

const stage = new RunStage();

describe('Notion itself', () => {
  test('revokes the token during a run: the run ends', async () => {
    const pages = stage.tasks(8);
    stage.notion.faults.on('updatePage', { kind: 'status', status: 401 }, { after: 2, times: 99 });

    await expect(stage.colloquy.run(stage.ada)).rejects.toMatchObject({
      code: 'notion_unauthorized',
    });
    expect(ranksOf(pages).filter((rank) => rank !== null)).toEqual([1, 2]);
    expect(stage.written.length).toBeLessThanOrEqual(5);
  });

  test.each([
    [
      429,
      () => {
        stage.notion.limits.pauseFor(3);
      },
    ],
    [
      529,
      () => {
        stage.notion.limits.overloadFor(3);
      },
    ],
  ])('asks for a short pause with %i: the run waits and then continues', async (status, ask) => {
    const pages = stage.tasks(5);
    stage.notion.faults.on('updatePage', { kind: 'hang' }, { after: 1 });
    const run = stage.colloquy.begin(stage.ada);
    await stage.untilHanging(run);
    ask();
    stage.notion.faults.release();

    expect(await stage.colloquy.end(run)).toMatchObject({ kind: 'ranked', counts: { updated: 5 } });
    expect(stage.notion.journal.refused(status).length).toBeGreaterThan(0);
    expect(ranksOf(pages)).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    [
      429,
      () => {
        stage.notion.limits.pauseFor(90);
      },
    ],
    [
      529,
      () => {
        stage.notion.limits.overloadFor(90);
      },
    ],
  ])(
    'asks for a long pause with %i: the run ends with an error, so that the job is retried later',
    async (_, ask) => {
      stage.tasks(5);
      stage.notion.faults.on('updatePage', { kind: 'hang' }, { after: 1 });
      const run = stage.colloquy.begin(stage.ada);
      await stage.untilHanging(run);
      ask();
      stage.notion.faults.release();

      const startedMs = stage.fixture.world.nowMs;
      await expect(stage.colloquy.end(run)).rejects.toMatchObject({ code: 'notion_paused' });
      expect(stage.fixture.world.nowMs - startedMs).toBeLessThan(5000);
    },
  );

  test('is down: the run ends with an error', async () => {
    stage.tasks(2);
    await stage.notion.goDown();
    try {
      await expect(stage.colloquy.run(stage.ada)).rejects.toMatchObject({
        code: 'notion_unavailable',
      });
    } finally {
      await stage.notion.comeUp();
    }
  });
});
