import { randomUUID } from 'node:crypto';
import type { Board, NotionPage, NotionServer, NotionUser } from '../../../tools/fake-notion';
import { until } from '../../support/until';
import { AUTOMATION, NotionEvents, SECRET } from './notion-events';

let setup: NotionEvents;
let ada: NotionUser;
let bob: NotionUser;

beforeAll(async () => {
  setup = await NotionEvents.start();
  await until(
    'the bot knows its own id',
    () => setup.app.log.count('Notion knows this integration') > 0,
  );
});
afterAll(() => setup.close());
beforeEach(() => {
  ada = setup.notion.workspace.user('Ada');
  bob = setup.notion.workspace.user('Bob');
});
afterEach(async () => {
  for (const automation of automations.splice(0)) automation.close();
  await setup.untilRead();
  await setup.forgetMarks();
});

type Automation = ReturnType<NotionServer['automation']>;
const automations: Automation[] = [];

/** From now on the board's automation calls the webhook with these properties of a page. */
function automate(properties?: readonly string[], board: Board = setup.board): Automation {
  const automation = setup.notion.automation(board, {
    url: `${setup.app.url}${AUTOMATION}`,
    headers: { 'x-colloquy-secret': SECRET },
    ...(properties === undefined ? {} : { properties }),
  });
  automations.push(automation);
  return automation;
}

/** A page as an automation sends it. */
function payload(page: NotionPage, people: readonly string[], more: object = {}) {
  return {
    source: {
      type: 'automation',
      event_id: randomUUID(),
      user_id: randomUUID(),
      attempt: 1,
    } as Record<string, unknown>,
    data: {
      object: 'page',
      id: page.id,
      parent: { type: 'data_source_id', data_source_id: setup.board.id },
      properties: { Assignee: { id: 'a', type: 'people', people: people.map((id) => ({ id })) } },
      ...more,
    },
  };
}

test('a new page marks the boards of all its assignees without a call to Notion', async () => {
  const reads = setup.pageReads;
  automate();
  const task = setup.board.task({ Name: 'One', Assignee: [ada, bob] });

  await setup.untilMarked(ada, bob);
  expect(setup.pageReads).toBe(reads);
  expect(await setup.knownAssignees(task.id)).toEqual([ada.id, bob.id].sort());
});

test('a reassigned page marks the board of its previous assignee too', async () => {
  automate();
  const task = setup.board.task({ Name: 'One', Assignee: ada });
  await setup.untilMarked(ada);
  await setup.forgetMarks();
  task.edit({ Assignee: bob });

  await setup.untilMarked(ada, bob);
  await until(
    'the new assignee is stored',
    async () => (await setup.knownAssignees(task.id))?.[0] === bob.id,
  );
});

test('the assignee property alone is enough', async () => {
  const reads = setup.pageReads;
  automate(['Assignee']);
  setup.board.task({ Name: 'One', Assignee: ada });

  await setup.untilMarked(ada);
  expect(setup.pageReads).toBe(reads);
});

test('an unassigned page is skipped and counted', async () => {
  const before = await setup.events('unassigned');
  const automation = automate();
  setup.board.task({ Name: 'Nobody' });
  await until('the call got its response', () => automation.calls.length === 1);

  expect(automation.calls[0]?.status).toBe(200);
  expect(await setup.events('unassigned')).toBe(before + 1);
  expect(await setup.marked()).toEqual([]);
});

test('events of our own bot are ignored and counted; those of other bots are handled', async () => {
  const task = setup.board.task({ Name: 'One' });
  const before = await setup.events('own_echo');
  const own = payload(task, [ada.id]);
  own.source.user_id = setup.notion.botId;
  await setup.call(own);
  expect(await setup.events('own_echo')).toBe(before + 1);
  expect(await setup.marked()).toEqual([]);

  automate();
  task.edit({ Assignee: bob }, setup.notion.workspace.otherBot('Zapper'));
  await setup.untilMarked(bob);
});

test('each call is handled once; another attempt with new content is handled too', async () => {
  const task = setup.board.task({ Name: 'One' });
  const before = await setup.events('duplicate');
  const call = payload(task, [ada.id]);
  await setup.call(call);
  await setup.forgetMarks();
  expect((await setup.call(call)).status).toBe(200);
  expect(await setup.events('duplicate')).toBe(before + 1);
  expect(await setup.marked()).toEqual([]);

  const again = payload(task, [bob.id]);
  await setup.call({ ...again, source: { ...call.source, attempt: 2 } });
  expect(await setup.marked()).toEqual([ada.id, bob.id].sort());
});

test.each([
  ['an id', undefined],
  ['an id that can be stored', { event_id: 'a\0b', attempt: 'first' }],
])('a call without %s is handled each time', async (_what, source) => {
  const task = setup.board.task({ Name: 'One' });
  const call = { source, data: payload(task, [ada.id]).data };
  await setup.call(call);
  await setup.forgetMarks();
  await setup.call(call);

  expect(await setup.marked()).toEqual([ada.id]);
});

test('a page in the trash marks the boards of its assignees, and is forgotten', async () => {
  const task = setup.board.task({ Name: 'One' });
  await setup.call(payload(task, [ada.id]));
  await setup.forgetMarks();
  await setup.call(payload(task, [bob.id], { in_trash: true }));

  expect(await setup.marked()).toEqual([ada.id, bob.id].sort());
  expect(await setup.knownAssignees(task.id)).toBeNull();
});

test('a page of another data source is skipped and counted; one that was moved there is forgotten', async () => {
  const before = await setup.events('other_data_source');
  const task = setup.board.task({ Name: 'One' });
  const parent = { type: 'data_source_id', data_source_id: randomUUID() };
  await setup.call(payload(task, [ada.id], { parent }));
  expect(await setup.events('other_data_source')).toBe(before + 1);
  expect(await setup.marked()).toEqual([]);

  await setup.call(payload(task, [ada.id]));
  await setup.forgetMarks();
  await setup.call(payload(task, [bob.id], { parent }));
  expect(await setup.marked()).toEqual([ada.id]);
  expect(await setup.knownAssignees(task.id)).toBeNull();
});

test('a page that names only its database is read once, and not again once it is known to be ours', async () => {
  const task = setup.board.task({ Name: 'One', Assignee: ada });
  const parent = { type: 'database_id', database_id: setup.board.databaseId };
  await setup.call(payload(task, [bob.id], { parent }));
  await setup.untilMarked(ada);
  expect(await isMarked(bob)).toBe(false);

  await setup.forgetMarks();
  const reads = await setup.readsBy(() => setup.call(payload(task, [bob.id], { parent })));
  expect(reads).toBe(0);
  expect(await setup.marked()).toEqual([ada.id, bob.id].sort());
});

test('people who have left and invalid ids do not block the others', async () => {
  const task = setup.board.task({ Name: 'One' });
  const people = [randomUUID(), 'nobody', ada.id.toUpperCase().replaceAll('-', '')];
  expect((await setup.call(payload(task, people))).status).toBe(200);

  expect(await setup.marked()).toEqual([people[0], ada.id].sort());
});

describe('a missing assignee property', () => {
  test('is read from the page when the automation does not send it, and one log line says so', async () => {
    automate(['Importance']);
    setup.board.task({ Name: 'One', Assignee: ada });
    setup.board.task({ Name: 'Two', Assignee: bob });

    await setup.untilMarked(ada, bob);
    expect(setup.app.log.count('An automation sends pages without their assignee')).toBe(1);
    expect(setup.app.log.count('The property "Assignee" is missing')).toBe(1);
  });

  test.each([
    [
      'renamed',
      (board: Board): void => {
        board.renameColumn('Assignee', 'Owner');
      },
      'is missing: restore its name',
    ],
    [
      'retyped',
      (board: Board): void => {
        board.retypeColumn('Assignee', 'rich_text');
      },
      'is of type rich_text; expected people',
    ],
  ])(
    'that was %s is counted and reported; the known boards are marked, and no page waits',
    async (...row) => {
      const [, change, sentence] = row;
      const other = await NotionEvents.start();
      const task = other.board.task({ Name: 'One', Assignee: ada });
      await other.call(inBoard(other, task, [ada.id]));
      await other.forgetMarks();
      change(other.board);
      await other.send(other.event('page.properties_updated', task.id));
      await until(
        'the unreadable page is counted',
        async () => (await other.pages('unreadable')) === 1,
      );

      expect(await other.marked()).toEqual([ada.id]);
      expect(
        other.app.log.count(
          `Assignees cannot be read, so it is unknown whose board has changed. The property "Assignee" ${sentence}`,
        ),
      ).toBe(1);
      expect((await other.ready()).status).toBe(200);
      expect((await other.ready()).trouble).toContain(sentence);
      expect(await other.waiting()).toEqual([]);
      await other.close();
    },
  );

  test('that is restored ends the problem, and the next page is read as before', async () => {
    const other = await NotionEvents.start();
    other.board.renameColumn('Assignee', 'Owner');
    const task = other.board.task({ Name: 'One' });
    await other.send(other.event('page.created', task.id));
    await until(
      'the health check reports trouble',
      async () => (await other.ready()).trouble !== null,
    );
    other.board.renameColumn('Owner', 'Assignee');
    task.edit({ Assignee: ada });
    await other.send(other.event('page.properties_updated', task.id));

    await other.untilMarked(ada);
    await until(
      'the health check reports no trouble',
      async () => (await other.ready()).trouble === null,
    );
    await other.close();
  });
});

function inBoard(other: NotionEvents, page: NotionPage, people: readonly string[]) {
  const parent = { type: 'data_source_id', data_source_id: other.board.id };
  return payload(page, people, { parent });
}

async function isMarked(user: NotionUser): Promise<boolean> {
  return (await setup.marked()).includes(user.id);
}
