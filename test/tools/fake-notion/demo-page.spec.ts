import { NotionServer } from '../../../tools/fake-notion';
import type { BoardView } from '../../../tools/fake-notion/demo/board-view';
import { DemoPage } from '../../../tools/fake-notion/demo/demo-page';
import { fill, type Filled } from '../../../tools/fake-notion/demo/fill';
import { clientOf } from './notion-calls';

describe('the demo page', () => {
  let notion: NotionServer;
  let filled: Filled;
  let page: DemoPage;

  beforeEach(async () => {
    notion = await NotionServer.start();
    filled = fill(notion, { people: 3, tasksEach: 10, today: new Date('2026-03-02') });
    page = new DemoPage(notion, filled);
    await page.open();
  });
  afterEach(async () => {
    await page.close();
    await notion.close();
  });

  const act = (deed: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${page.url}/do`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(deed),
    });

  /** The first view that the page is told. */
  async function view(person = filled.people[1]?.id ?? '', of = page): Promise<BoardView> {
    const response = await fetch(`${of.url}/events?person=${person}`);
    const reader = response.body?.getReader();
    let told = '';
    while (!told.endsWith('\n\n')) {
      const part = await reader?.read();
      told += Buffer.from((part?.value ?? new Uint8Array()) as Uint8Array).toString('utf8');
    }
    await reader?.cancel();
    return JSON.parse(told.slice('data: '.length)) as BoardView;
  }

  test("shows a person's open tasks, those with a rank first", async () => {
    const before = await view();
    const last = before.tasks.at(-1)?.id ?? '';
    expect(before.people).toHaveLength(3);
    expect(before.tasks.every(({ status }) => status !== 'Done')).toBe(true);

    await clientOf(notion).pages.update({
      page_id: last,
      properties: {
        'Queue Rank': { number: 1 },
        'Projected Completion': { date: { start: '2026-03-09' } },
        'At risk': { checkbox: true },
      },
    });

    const after = await view();
    expect(after.tasks[0]).toMatchObject({
      id: last,
      rank: 1,
      projected: '2026-03-09',
      isAtRisk: true,
    });
    expect(after.calls).toMatchObject({ total: 1, writes: 1, tooMany: 0 });
  });

  test('an action on it changes the board in the name of that person', async () => {
    const { person, tasks } = await view();
    const task = tasks[0]?.id ?? '';
    notion.webhooks.sendTo('http://127.0.0.1:1/');

    await act({ act: 'importance', task, importance: 99 });
    await act({ act: 'add', person: person.id, name: ' Call Ada ' });
    await act({ act: 'assign', task, person: filled.people[2]?.id });
    await act({ act: 'status', task, status: 'Done' });

    expect(filled.board.page(task).value('Importance')).toBe(99);
    expect(filled.board.page(task).value('Status')).toBe('Done');
    const after = await view();
    expect(after.tasks.map(({ id }) => id)).not.toContain(task);
    expect(after.tasks.at(-1)?.name).toBe('Call Ada');
    expect(notion.webhooks.feed.made[0]?.authors).toEqual([{ id: person.id, type: 'person' }]);
  });

  test('an edit is made in the name of whoever is chosen, and told on the page', async () => {
    const [, person, editor] = filled.people;
    const task = (await view()).tasks[0];
    notion.webhooks.sendTo('http://127.0.0.1:1/');

    await fetch(`${page.url}/do?by=${editor?.id ?? ''}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ act: 'importance', task: task?.id, importance: 99 }),
    });

    expect(notion.webhooks.feed.made[0]?.authors).toEqual([{ id: editor?.id, type: 'person' }]);
    expect((await view(person?.id)).happened[0]).toEqual({
      who: editor?.name,
      did: 'importance',
      what: task?.name,
      value: '99',
    });
  });

  test('shows the calls of the last second against the limits, and whose board is next', async () => {
    const [first, second] = filled.people;
    const at = Date.now();
    const other = new DemoPage(notion, filled, {
      queue: () => [
        { personId: first?.id ?? '', state: 'waiting', dueAtMs: at },
        { personId: second?.id ?? '', state: 'running', dueAtMs: at + 5000 },
      ],
    });
    await other.open();
    await clientOf(notion).users.me({});

    const shown = await view(second?.id, other);
    expect(shown.calls).toMatchObject({ lastMinute: 1, perSecond: 3, perMinute: 180 });
    expect(shown.queue.map(({ personId }) => personId)).toEqual([second?.id, first?.id]);
    await other.close();
  });

  test('an impossible action gets an error message', async () => {
    const task = (await view()).tasks[0]?.id ?? '';
    const refused = await act({ act: 'status', task, status: 'Nope' });

    expect(refused.status).toBe(409);
    expect(await refused.text()).toBe('"Status" has no option "Nope"');
  });

  test('the page runs only its own scripts, and another origin cannot act', async () => {
    const response = await fetch(page.url);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await response.text()).not.toMatch(/<script(?! type="module" src="\/page.js")/);

    const foreign = await act({ act: 'add' }, { origin: 'http://elsewhere.example' });
    expect(foreign.status).toBe(400);
  });

  test('the demo is filled with the same boards each time', async () => {
    const other = await NotionServer.start();
    const again = fill(other, { people: 3, tasksEach: 10, today: new Date('2026-03-02') });
    const read = ({ board }: Filled): unknown[] =>
      board.tasks.map((task) => [task.title, task.value('Importance'), task.value('Due')]);

    expect(read(again)).toEqual(read(filled));
    await other.close();
  });
});
