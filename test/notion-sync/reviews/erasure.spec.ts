import type { TestCandidate } from '../../support/candidate';
import { ReviewWorker } from '../../../src/notion-sync/reviews/review.worker';
import { Jobs } from '../../../src/jobs';
import { gate } from '../../../tools/http-fake/gate';
import { until } from '../../support/until';
import { runCli } from '../../support/run-cli';
import { ReviewedInterviews, TIMEOUT_MS } from './reviewed-interviews';

const LATER_MS = 120_000;
const ARRIVED_MS = TIMEOUT_MS + 2000;

describe('an erased interview', () => {
  let setup: ReviewedInterviews;

  beforeEach(async () => {
    setup = await ReviewedInterviews.start();
  });
  afterEach(() => setup.close());

  test('leaves no page on the board and no row about it', async () => {
    const candidate = await setup.finished();
    const { page } = setup;

    await setup.erase(candidate);
    await setup.settle();

    expect(page.isTrashed).toBe(true);
    expect(await setup.left()).toBe(0);
    expect(await setup.rows('select 1 from notion_page')).toEqual([]);
  });

  test('is removed from the board while all jobs that show interviews hang', async () => {
    const candidate = await setup.finished();
    const { app, page } = setup;
    const held = gate();
    jest.spyOn(app.get(ReviewWorker), 'run').mockImplementation(async (claim) => {
      await held.opened;
      await app.commit((tx) => app.get(Jobs).complete(tx, claim));
    });
    await setup.rows(
      `insert into job (queue, key, due_at, first_at)
       select 'notion-review', 'held:' || n, $1, $1 from generate_series(1, 8) n`,
      [setup.clock.now()],
    );
    const running = `select from job where queue = 'notion-review' and state = 'running'`;
    await until(
      'both workers of the queue are busy',
      async () => (await setup.rows(running)).length === 2,
    );

    await setup.erase(candidate);
    await until('the page is in the trash', () => page.isTrashed);
    expect(await setup.rows(running)).toHaveLength(2);
    held.open();
    await setup.settle();
    expect(await setup.left()).toBe(0);
  });

  test('causes a new ranking of its owner board', async () => {
    const candidate = await setup.finished();
    await setup.rows(`delete from job where queue = 'notion-sync'`);

    await setup.erase(candidate);
    await setup.settle();

    const boards = await setup.rows(`select key from job where queue = 'notion-sync'`);
    expect(boards).toEqual([{ key: setup.owner.id }]);
  });

  test('causes a new ranking of the board on which its page was, if it was reassigned', async () => {
    const candidate = await setup.finished();
    const other = setup.notion.workspace.user('Other');
    await setup.rows('update notion_page set assignee_ids = array[$1::uuid]', [other.id]);
    await setup.rows(`delete from job where queue = 'notion-sync'`);

    await setup.erase(candidate);
    await setup.settle();

    const boards = await setup.rows<{ key: string }>(
      `select key from job where queue = 'notion-sync'`,
    );
    expect(boards.map(({ key }) => key).sort()).toEqual([setup.owner.id, other.id].sort());
  });

  test('leaves no page when the command erases it', async () => {
    const candidate = await setup.finished();
    const { page } = setup;
    const id = await setup.candidateOf(candidate);

    const { out, err, code } = await runCli(['candidate', 'erase', id, '--yes'], {
      DATABASE_URL: setup.app.databaseUrl,
    });
    // The command uses the clock of the machine, which is ahead of the fake clock.
    await setup.pass(Date.now() - setup.clock.now().getTime());

    expect({ out, err, code }).toMatchObject({ err: '', code: 0 });
    expect(page.isTrashed).toBe(true);
    expect(await setup.left()).toBe(0);
  });

  test('does not change the pages of other interviews', async () => {
    const gone = await setup.finished();
    const kept = await setup.finished();

    await setup.erase(gone);
    await setup.settle();

    expect(String(setup.page.value('Transcript'))).toContain(kept.conversationId);
  });

  test('leaves no row if it is erased before anything was sent to Notion', async () => {
    await setup.notion.goDown();
    const candidate = await setup.finished();

    await setup.erase(candidate);

    expect(await setup.left()).toBe(0);
  });

  test('gets no page from a worker that had already begun to show it', async () => {
    setup.notion.faults.on('getDataSource', { kind: 'hang' });
    const candidate = await setup.finished();

    await setup.erase(candidate);
    setup.notion.faults.release();
    await setup.settle();
    await setup.pass(LATER_MS);

    expect(setup.notion.journal.calls('createPage')).toEqual([]);
    expect(await setup.left()).toBe(0);
  });

  test('leaves no page if it is erased while its page is being created', async () => {
    setup.notion.faults.on('createPage', { kind: 'hang', when: 'after' });
    const candidate = await setup.finished();
    expect(setup.pages).toHaveLength(1);
    const { page } = setup;

    await setup.erase(candidate);
    setup.notion.faults.release();
    await setup.pass(ARRIVED_MS);
    await setup.pass(LATER_MS);

    expect(page.isTrashed).toBe(true);
    expect(await setup.left()).toBe(0);
  });

  test('leaves no page if the create call arrives only after the erasure', async () => {
    setup.notion.faults.on('createPage', { kind: 'hang' });
    const candidate = await setup.finished();
    expect(setup.pages).toHaveLength(0);

    await setup.erase(candidate);
    setup.notion.faults.release();
    await setup.pass(ARRIVED_MS);
    await setup.pass(60_000);
    await setup.pass(600_000);

    expect(setup.pages).toEqual([]);
    expect(await setup.left()).toBe(0);
    expect(setup.notion.journal.calls('createPage')).toHaveLength(1);
  });

  test('is looked for three times, because a new page may show up late, and is then forgotten', async () => {
    setup.notion.faults.on('createPage', { kind: 'drop' });
    const candidate = await setup.finished();

    await setup.erase(candidate);
    await setup.pass(ARRIVED_MS);
    const searches = [searchesFor(setup, candidate)];
    await setup.pass(60_000);
    searches.push(searchesFor(setup, candidate));
    expect(await setup.left()).toBeGreaterThan(0);
    await setup.pass(600_000);
    searches.push(searchesFor(setup, candidate));

    expect(searches).toEqual([1, 2, 3]);
    expect(await setup.left()).toBe(0);
  });

  test('leaves no page even if Notion is down for an hour when it is erased', async () => {
    const candidate = await setup.finished();
    const { page } = setup;
    await setup.notion.goDown();

    await setup.erase(candidate);
    for (let minutes = 0; minutes < 60; minutes += 10) await setup.pass(10 * 60_000);
    const named = await setup.rows('select title_digest from notion_review');
    await setup.notion.comeUp();
    await setup.pass(LATER_MS);

    expect(named).toEqual([{ title_digest: null }]);
    expect(page.isTrashed).toBe(true);
    expect(await setup.left()).toBe(0);
  });

  test('leaves no copy of its page, because each copy has the link', async () => {
    const candidate = await setup.finished();
    const { page } = setup;
    const [copy, other] = [1, 2].map((n) =>
      setup.board.task({
        Name: `Copy ${n}`,
        Transcript: n === 1 ? page.value('Transcript') : 'https://example.com/another',
      } as never),
    );

    await setup.erase(candidate);
    await setup.settle();

    expect([page, copy, other].map((one) => one?.isTrashed)).toEqual([true, true, false]);
    expect(await setup.left()).toBe(0);
  });

  test('leaves no row if people have already put its page into the trash', async () => {
    const candidate = await setup.finished();
    setup.page.delete(setup.owner);

    await setup.erase(candidate);
    await setup.settle();

    expect(await setup.left()).toBe(0);
  });

  test('gets an attention item if Notion never removes its page', async () => {
    const candidate = await setup.finished();
    const { id } = setup.page;
    const isTrashing = (params: object): boolean => 'in_trash' in params;
    const refused = { kind: 'status', status: 403 } as const;
    setup.notion.faults.on('updatePage', refused, { times: 100, matching: isTrashing });

    await setup.erase(candidate);
    for (let tries = 0; tries < 6; tries += 1) await setup.pass(LATER_MS);

    const items = await setup.rows<{ kind: string; reason: string; conversation_id: null }>(
      'select kind, reason, conversation_id from attention',
    );
    expect(items).toHaveLength(1);
    expect(items[0]?.reason).toContain(`the page ${id} of an erased interview`);
    expect(items[0]?.conversation_id).toBeNull();
  });

  test('is named with its page in the data that its candidate can see before the erasure', async () => {
    const candidate = await setup.finished();

    const response = await candidate.get('/api/v1/conversation/mydata');

    const { conversationId } = candidate;
    const { holders } = (await response.json()) as { holders: Record<string, unknown> };
    expect(holders.notion).toEqual({ pages: [{ conversationId, pageId: setup.page.id }] });
  });
});

/** How often a page of this interview was looked for. */
function searchesFor({ notion }: ReviewedInterviews, { conversationId }: TestCandidate): number {
  const queries = notion.journal.calls('queryDataSource');
  return queries.filter(({ params }) => JSON.stringify(params).includes(conversationId)).length;
}
