import { NotionStage } from './notion-stage';

let stage: NotionStage;

afterEach(() => stage.close());

test('ranks a board by importance when somebody edits it in Notion, and writes when each task will be done', async () => {
  stage = await NotionStage.open();
  const ada = stage.notion.workspace.user('Ada');
  const tasks = stage.tasks(ada, [3, 9, 5]);
  await stage.ranked(tasks, [3, 1, 2]);
  await stage.quiet();

  tasks[0]?.edit({ Importance: 10 }, ada);

  await stage.ranked(tasks, [1, 2, 3]);
  await stage.quiet();
  const days = tasks.map((task) => String(task.value('Projected Completion')));
  expect(days.every((day) => /^\d{4}-\d\d-\d\d$/.test(day))).toBe(true);
  expect(days).toEqual(days.toSorted());
  expect(stage.notion.journal.violations).toEqual([]);
});

test('ignores events of its own writes: they cause no further call', async () => {
  stage = await NotionStage.open();
  const ada = stage.notion.workspace.user('Ada');
  const tasks = stage.tasks(ada, [1, 2, 3, 4]);
  await stage.ranked(tasks, [4, 3, 2, 1]);
  await stage.quiet();
  stage.notion.journal.clear();

  tasks[0]?.edit({ Importance: 1.5 }, ada);
  await stage.quiet();

  const operations = stage.notion.journal.all.map(({ operation }) => operation);
  expect(operations.filter((operation) => operation === 'updatePage')).toEqual([]);
  expect(operations.filter((operation) => operation === 'queryDataSource')).toHaveLength(1);
});

test('ranks both boards when a task goes from one person to another', async () => {
  stage = await NotionStage.open();
  const { workspace } = stage.notion;
  const [ada, bea] = [workspace.user('Ada'), workspace.user('Bea')];
  const [ofAda, ofBea] = [stage.tasks(ada, [5, 7, 6]), stage.tasks(bea, [4])];
  await stage.ranked([...ofAda, ...ofBea], [3, 1, 2, 1]);
  await stage.quiet();

  ofAda[1]?.edit({ Assignee: bea }, ada);

  await stage.ranked([...ofAda, ...ofBea], [2, 1, 1, 2]);
});

test('a run that would reverse a board waits until a person approves it', async () => {
  stage = await NotionStage.open();
  const ada = stage.notion.workspace.user('Ada');
  const ups = Array.from({ length: 12 }, (_, n) => n + 1);
  const tasks = stage.tasks(ada, ups);
  await stage.ranked(tasks, ups.toReversed());
  await stage.quiet();
  stage.notion.journal.clear();

  tasks.forEach((task, n) => {
    task.edit({ Importance: 100 - n }, ada);
  });
  await stage.quiet();
  expect(stage.notion.journal.calls('updatePage')).toEqual([]);
  const listed = (await (await stage.admin('GET', 'attention')).json()) as {
    items: { id: string; kind: string; isReplayable: boolean }[];
  };
  expect(listed.items).toMatchObject([{ kind: 'braked', isReplayable: true }]);

  const replayed = await stage.admin('POST', `attention/${listed.items[0]?.id ?? ''}/replay`);
  expect(replayed.status).toBe(200);
  await stage.ranked(tasks, ups);
});

test('shares one limit between two replicas, and Notion refuses nothing', async () => {
  // The limit is one call below that of Notion, because on a busy machine calls arrive late.
  const limits = {
    NOTION_MAX_RPS: '2',
    NOTION_TOKEN_CAPACITY: '2',
    NOTION_BUDGET_PER_MINUTE: '180',
  };
  stage = await NotionStage.open(limits, { isLimited: true });
  await stage.addReplica(limits);
  const { workspace } = stage.notion;
  const boards = ['Ada', 'Bea', 'Cyd'].map((name) => stage.tasks(workspace.user(name), [1, 2, 3]));

  await stage.ranked(
    boards.flat(),
    boards.flatMap(() => [3, 2, 1]),
  );
  await stage.quiet();

  expect(stage.notion.journal.refused(429)).toEqual([]);
  expect(stage.notion.journal.mostWithin(1000)).toBeLessThanOrEqual(3);
});

test('writes nothing while a property of the board is renamed, and continues when the name is restored', async () => {
  stage = await NotionStage.open();
  const ada = stage.notion.workspace.user('Ada');
  const tasks = stage.tasks(ada, [1, 2]);
  await stage.ranked(tasks, [2, 1]);
  await stage.quiet();
  stage.notion.journal.clear();

  stage.board.renameColumn('Importance', 'Weight');
  tasks[0]?.edit({ Weight: 9 }, ada);
  await stage.quiet();
  expect(stage.notion.journal.calls('updatePage')).toEqual([]);

  stage.board.renameColumn('Weight', 'Importance');
  tasks[0]?.edit({ Importance: 8 }, ada);
  await stage.ranked(tasks, [1, 2]);
});

test('continues a board when Notion is back after an outage', async () => {
  stage = await NotionStage.open({ NOTION_BACKOFF_INITIAL_MS: '1', NOTION_BACKOFF_MAX_MS: '10' });
  const ada = stage.notion.workspace.user('Ada');
  const tasks = stage.tasks(ada, [1, 2, 3]);
  await stage.ranked(tasks, [3, 2, 1]);
  await stage.quiet();

  tasks[0]?.edit({ Importance: 5 }, ada);
  await stage.notion.goDown();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await stage.notion.comeUp();

  await stage.ranked(tasks, [1, 3, 2]);
});
