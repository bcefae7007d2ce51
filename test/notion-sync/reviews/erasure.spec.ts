import { ReviewWorker } from '../../../src/notion-sync/reviews/review.worker';
import { sqlFile } from '../../../src/persistence/sql-file';
import { Jobs } from '../../../src/jobs';
import { gate } from '../../../tools/http-fake/gate';
import { until } from '../../support/postgres/processes';
import { runCli } from '../../support/run-cli';
import { ReviewStage, TIMEOUT_MS } from './review-stage';

const LATER_MS = 120_000;
const ARRIVED_MS = TIMEOUT_MS + 2000;

describe('an erased interview', () => {
  let stage: ReviewStage;

  beforeEach(async () => {
    stage = await ReviewStage.open();
  });
  afterEach(() => stage.close());

  test('leaves no page on the board and no row about it', async () => {
    const candidate = await stage.finished();
    const { page } = stage;

    await stage.erase(candidate);
    await stage.settle();

    expect(page.isTrashed).toBe(true);
    expect(await stage.left()).toBe(0);
    expect(await stage.rows('select 1 from notion_page')).toEqual([]);
  });

  test('is removed from the board while all jobs that show interviews hang', async () => {
    const candidate = await stage.finished();
    const { page } = stage;
    const { nest } = stage.app;
    const held = gate();
    jest
      .spyOn(nest.get(ReviewWorker, { strict: false }), 'run')
      .mockImplementation(async (claim) => {
        await held.opened;
        await stage.app.commit((tx) => nest.get(Jobs, { strict: false }).complete(tx, claim));
      });
    await stage.rows(
      `insert into job (queue, key, due_at, first_at)
       select 'notion-review', 'held:' || n, $1, $1 from generate_series(1, 8) n`,
      [stage.clock.now()],
    );
    const running = `select from job where queue = 'notion-review' and state = 'running'`;
    await until(
      'both workers of the queue are busy',
      async () => (await stage.rows(running)).length === 2,
    );

    await stage.erase(candidate);
    await until('the page is in the trash', () => page.isTrashed);
    expect(await stage.rows(running)).toHaveLength(2);
    held.open();
    await stage.settle();
    expect(await stage.left()).toBe(0);
  });

  test('is removed by a job of an earlier version, which a migration moves to the new queue', async () => {
    const candidate = await stage.finished();
    const { page } = stage;
    await stage.notion.goDown();
    await stage.erase(candidate);
    await stage.rows(`update job set queue = 'notion-event' where queue = 'notion-removal'`);
    await stage.rows(sqlFile('adopt/NotionQueues1764000000043.sql'));
    await stage.notion.comeUp();
    await stage.pass(LATER_MS);

    expect(page.isTrashed).toBe(true);
    expect(await stage.left()).toBe(0);
  });

  test('causes a new ranking of its owner board', async () => {
    const candidate = await stage.finished();
    await stage.rows(`delete from job where queue = 'notion-sync'`);

    await stage.erase(candidate);
    await stage.settle();

    const boards = await stage.rows(`select key from job where queue = 'notion-sync'`);
    expect(boards).toEqual([{ key: stage.owner.id }]);
  });

  test('leaves no page when the command erases it', async () => {
    const candidate = await stage.finished();
    const { page } = stage;
    const id = await stage.candidateOf(candidate);

    const { out, err, code } = await runCli(['candidate', 'erase', '--candidate', id, '--yes'], {
      DATABASE_URL: stage.app.databaseUrl,
    });
    // The command uses the clock of the machine, which is ahead of the fake clock.
    await stage.pass(Date.now() - stage.clock.now().getTime());

    expect({ out, err, code }).toMatchObject({ err: '', code: 0 });
    expect(page.isTrashed).toBe(true);
    expect(await stage.left()).toBe(0);
  });

  test('does not change the pages of other interviews', async () => {
    const gone = await stage.finished();
    const kept = await stage.finished();

    await stage.erase(gone);
    await stage.settle();

    expect(String(stage.page.value('Transcript'))).toContain(kept.conversationId);
  });

  test('leaves no row if it is erased before anything was sent to Notion', async () => {
    await stage.notion.goDown();
    const candidate = await stage.finished();

    await stage.erase(candidate);

    expect(await stage.left()).toBe(0);
  });

  test('gets no page from a worker that had already begun to show it', async () => {
    stage.notion.faults.on('getDataSource', { kind: 'hang' });
    const candidate = await stage.finished();

    await stage.erase(candidate);
    stage.notion.faults.release();
    await stage.settle();
    await stage.pass(LATER_MS);

    expect(stage.notion.journal.calls('createPage')).toEqual([]);
    expect(await stage.left()).toBe(0);
  });

  test('leaves no page if it is erased while its page is being created', async () => {
    stage.notion.faults.on('createPage', { kind: 'hang', when: 'after' });
    const candidate = await stage.finished();
    expect(stage.pages).toHaveLength(1);
    const { page } = stage;

    await stage.erase(candidate);
    stage.notion.faults.release();
    await stage.pass(ARRIVED_MS);
    await stage.pass(LATER_MS);

    expect(page.isTrashed).toBe(true);
    expect(await stage.left()).toBe(0);
  });

  test('leaves no page if the create call arrives only after the erasure', async () => {
    stage.notion.faults.on('createPage', { kind: 'hang' });
    const candidate = await stage.finished();
    expect(stage.pages).toHaveLength(0);

    await stage.erase(candidate);
    stage.notion.faults.release();
    await stage.pass(ARRIVED_MS);
    await stage.pass(60_000);
    await stage.pass(600_000);

    expect(stage.pages).toEqual([]);
    expect(await stage.left()).toBe(0);
    expect(stage.notion.journal.calls('createPage')).toHaveLength(1);
  });

  test('is looked for three times, because a new page may show up late, and is then forgotten', async () => {
    stage.notion.faults.on('createPage', { kind: 'drop' });
    const candidate = await stage.finished();

    await stage.erase(candidate);
    await stage.pass(ARRIVED_MS);
    const looks = [stage.looksFor(candidate)];
    await stage.pass(60_000);
    looks.push(stage.looksFor(candidate));
    expect(await stage.left()).toBeGreaterThan(0);
    await stage.pass(600_000);
    looks.push(stage.looksFor(candidate));

    expect(looks).toEqual([1, 2, 3]);
    expect(await stage.left()).toBe(0);
  });

  test('leaves no page even if Notion is down for an hour when it is erased', async () => {
    const candidate = await stage.finished();
    const { page } = stage;
    await stage.notion.goDown();

    await stage.erase(candidate);
    for (let minutes = 0; minutes < 60; minutes += 10) await stage.pass(10 * 60_000);
    const named = await stage.rows('select title_digest from notion_review');
    await stage.notion.comeUp();
    await stage.pass(LATER_MS);

    expect(named).toEqual([{ title_digest: null }]);
    expect(page.isTrashed).toBe(true);
    expect(await stage.left()).toBe(0);
  });

  test('leaves no copy of its page, because each copy has the link', async () => {
    const candidate = await stage.finished();
    const { page } = stage;
    const [copy, other] = [1, 2].map((n) =>
      stage.board.task({
        Name: `Copy ${n}`,
        Transcript: n === 1 ? page.value('Transcript') : 'https://example.com/another',
      } as never),
    );

    await stage.erase(candidate);
    await stage.settle();

    expect([page, copy, other].map((one) => one?.isTrashed)).toEqual([true, true, false]);
    expect(await stage.left()).toBe(0);
  });

  test('leaves no row if people have already put its page into the trash', async () => {
    const candidate = await stage.finished();
    stage.page.delete(stage.owner);

    await stage.erase(candidate);
    await stage.settle();

    expect(await stage.left()).toBe(0);
  });

  test('gets an attention item if Notion never removes its page', async () => {
    const candidate = await stage.finished();
    const { id } = stage.page;
    const isTrashing = (params: object): boolean => 'in_trash' in params;
    const refused = { kind: 'status', status: 403 } as const;
    stage.notion.faults.on('updatePage', refused, { times: 100, matching: isTrashing });

    await stage.erase(candidate);
    for (let tries = 0; tries < 6; tries += 1) await stage.pass(LATER_MS);

    const items = await stage.rows<{ kind: string; reason: string; conversation_id: null }>(
      'select kind, reason, conversation_id from attention',
    );
    expect(items).toHaveLength(1);
    expect(items[0]?.reason).toContain(`the page ${id} of an erased interview`);
    expect(items[0]?.conversation_id).toBeNull();
  });

  test('is named with its page in the data that its candidate can see before the erasure', async () => {
    const candidate = await stage.finished();

    const response = await candidate.get('/api/v1/conversation/mydata');

    const { conversationId } = candidate;
    const { holders } = (await response.json()) as { holders: Record<string, unknown> };
    expect(holders.notion).toEqual({ pages: [{ conversationId, pageId: stage.page.id }] });
  });
});
