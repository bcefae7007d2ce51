import { ADMIN_TOKEN as ADMIN } from '../../support/secrets';
import { startReplica } from '../../support/app';
import { RankedBoards } from './ranked-boards';
import { until } from '../../support/until';

let setup: RankedBoards;

afterEach(() => setup.close());

test('ranks a board by importance when somebody edits it in Notion, and writes when each task will be done', async () => {
  setup = await RankedBoards.start();
  const ada = setup.notion.workspace.user('Ada');
  const tasks = setup.tasks(ada, [3, 9, 5]);
  await setup.ranked(tasks, [3, 1, 2]);
  await quiet();

  tasks[0]?.edit({ Importance: 10 }, ada);

  await setup.ranked(tasks, [1, 2, 3]);
  await quiet();
  const days = tasks.map((task) => String(task.value('Projected Completion')));
  expect(days.every((day) => /^\d{4}-\d\d-\d\d$/.test(day))).toBe(true);
  expect(days).toEqual(days.toSorted());
  expect(setup.notion.journal.violations).toEqual([]);
});

test('ignores events of its own writes: they cause no further call', async () => {
  setup = await RankedBoards.start();
  const ada = setup.notion.workspace.user('Ada');
  const tasks = setup.tasks(ada, [1, 2, 3, 4]);
  await setup.ranked(tasks, [4, 3, 2, 1]);
  await quiet();
  setup.notion.journal.clear();

  tasks[0]?.edit({ Importance: 1.5 }, ada);
  await quiet();

  const operations = setup.notion.journal.all.map(({ operation }) => operation);
  expect(operations.filter((operation) => operation === 'updatePage')).toEqual([]);
  expect(operations.filter((operation) => operation === 'queryDataSource')).toHaveLength(1);
});

test('ranks both boards when a task goes from one person to another', async () => {
  setup = await RankedBoards.start();
  const { workspace } = setup.notion;
  const [ada, bea] = [workspace.user('Ada'), workspace.user('Bea')];
  const [ofAda, ofBea] = [setup.tasks(ada, [5, 7, 6]), setup.tasks(bea, [4])];
  await setup.ranked([...ofAda, ...ofBea], [3, 1, 2, 1]);
  await quiet();

  ofAda[1]?.edit({ Assignee: bea }, ada);

  await setup.ranked([...ofAda, ...ofBea], [2, 1, 1, 2]);
});

test('a run that would reverse a board waits until a person approves it', async () => {
  setup = await RankedBoards.start();
  const ada = setup.notion.workspace.user('Ada');
  const ups = Array.from({ length: 12 }, (_, n) => n + 1);
  const tasks = setup.tasks(ada, ups);
  await setup.ranked(tasks, ups.toReversed());
  await quiet();
  setup.notion.journal.clear();

  tasks.forEach((task, n) => {
    task.edit({ Importance: 100 - n }, ada);
  });
  await quiet();
  expect(setup.notion.journal.calls('updatePage')).toEqual([]);
  const listed = (await (await admin('GET', 'attention')).json()) as {
    items: { id: string; kind: string; isReplayable: boolean }[];
  };
  expect(listed.items).toMatchObject([{ kind: 'braked', isReplayable: true }]);

  const replayed = await admin('POST', `attention/${listed.items[0]?.id ?? ''}/replay`);
  expect(replayed.status).toBe(200);
  await setup.ranked(tasks, ups);
});

test('shares one limit between two replicas, and Notion refuses nothing', async () => {
  // The limit is one call below that of Notion, because on a busy machine calls arrive late.
  const limits = {
    NOTION_MAX_RPS: '2',
    NOTION_TOKEN_CAPACITY: '2',
    NOTION_BUDGET_PER_MINUTE: '180',
  };
  setup = await RankedBoards.start(limits, { isLimited: true });
  await startReplica(setup.app);
  const { workspace } = setup.notion;
  const boards = ['Ada', 'Bea', 'Cyd'].map((name) => setup.tasks(workspace.user(name), [1, 2, 3]));

  await setup.ranked(
    boards.flat(),
    boards.flatMap(() => [3, 2, 1]),
  );
  await quiet();

  expect(setup.notion.journal.refused(429)).toEqual([]);
  expect(setup.notion.journal.mostWithin(1000)).toBeLessThanOrEqual(3);
});

test('writes nothing while a property of the board is renamed, and continues when the name is restored', async () => {
  setup = await RankedBoards.start();
  const ada = setup.notion.workspace.user('Ada');
  const tasks = setup.tasks(ada, [1, 2]);
  await setup.ranked(tasks, [2, 1]);
  await quiet();
  setup.notion.journal.clear();

  setup.board.renameColumn('Importance', 'Weight');
  tasks[0]?.edit({ Weight: 9 }, ada);
  await quiet();
  expect(setup.notion.journal.calls('updatePage')).toEqual([]);

  setup.board.renameColumn('Weight', 'Importance');
  tasks[0]?.edit({ Importance: 8 }, ada);
  await setup.ranked(tasks, [1, 2]);
});

test('continues a board when Notion is back after an outage', async () => {
  setup = await RankedBoards.start({ NOTION_BACKOFF_INITIAL_MS: '1', NOTION_BACKOFF_MAX_MS: '10' });
  const ada = setup.notion.workspace.user('Ada');
  const tasks = setup.tasks(ada, [1, 2, 3]);
  await setup.ranked(tasks, [3, 2, 1]);
  await quiet();

  const failuresBefore = await failedCalls();
  tasks[0]?.edit({ Importance: 5 }, ada);
  await setup.notion.goDown();
  await until('a call fails', async () => (await failedCalls()) > failuresBefore);
  await setup.notion.comeUp();

  await setup.ranked(tasks, [1, 3, 2]);
});

/** Resolves when all events of Notion are stored and no job about Notion is left. */
async function quiet(): Promise<void> {
  await until('no job about Notion is left', async () => {
    if (!isAllTold() || !setup.app.isIdle()) return false;
    const [row] = await setup.app.sql<{ count: number }>(
      `select count(*)::int as count from job
       where queue in ('notion-read', 'notion-scan', 'notion-review', 'notion-sync') and state in ('open', 'running', 'retry')`,
    );
    return row?.count === 0;
  });
}

/** Whether the application has accepted all events of Notion. */
function isAllTold(): boolean {
  const { attempts, feed } = setup.notion.webhooks;
  const taken = attempts.filter(({ status }) => status === 200).map(({ event }) => event.id);
  return feed.made.every(({ id }) => taken.includes(id));
}

/** How many calls to Notion have failed. */
function failedCalls(): Promise<number> {
  return setup.app.metrics('notion_requests_total', { outcome: 'notion_unavailable' });
}

/** Calls the admin API. */
function admin(method: 'GET' | 'POST', path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${ADMIN}` };
  return fetch(`${setup.app.url}/api/v1/admin/${path}`, { method, headers });
}
