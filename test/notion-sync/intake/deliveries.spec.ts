import type { NotionUser } from '../../../tools/fake-notion';
import { until } from '../../support/until';
import { NotionEvents } from './notion-events';

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
  setup.listen();
});
afterEach(async () => {
  await setup.untilRead();
  setup.notion.webhooks.sendTo(null);
  await setup.forgetMarks();
});

test('an event that is delivered several times is handled once', async () => {
  const task = await setup.known({ Name: 'One', Assignee: ada });
  const before = await setup.events('duplicate');
  setup.listen({ copies: 3 });
  const reads = await setup.readsBy(async () => {
    task.edit({ Assignee: [ada, bob] });
    await until(
      'all copies have arrived',
      async () => (await setup.events('duplicate')) === before + 2,
    );
  });

  expect(reads).toBe(1);
  expect(await setup.marked()).toEqual([ada.id, bob.id].sort());
});

test('a second attempt to deliver a handled event is dropped', async () => {
  const task = await setup.known({ Name: 'One', Assignee: ada });
  const event = setup.event('page.properties_updated', task.id);
  await setup.send(event);
  await setup.untilMarked(ada);
  await setup.untilRead();
  await setup.forgetMarks();
  expect((await setup.send({ ...event, attempt_number: 2 })).status).toBe(200);

  expect(await setup.marked()).toEqual([]);
  expect(await setup.waiting()).toEqual([]);
});

test('one event for several edits marks all boards concerned', async () => {
  const [one, two] = [
    await setup.known({ Name: 'One', Assignee: ada }),
    await setup.known({ Name: 'Two' }),
  ];
  setup.listen({ aggregateMs: 50 });
  const reads = await setup.readsBy(async () => {
    one.edit({ Importance: 1 });
    one.edit({ Assignee: bob });
    one.edit({ Importance: 2 });
    two.edit({ Assignee: ada });
    await setup.untilMarked(ada, bob);
    await until(
      'both events are handled',
      async () => (await setup.knownAssignees(two.id))?.length === 1,
    );
  });

  expect(reads).toBe(2);
});

test('events in the wrong order have the same result, because the current page is read', async () => {
  const [one, two] = [await setup.known({ Name: 'One' }), await setup.known({ Name: 'Two' })];
  setup.listen({ reverseBy: 4 });
  one.edit({ Assignee: ada });
  two.edit({ Assignee: ada });
  one.edit({ Assignee: bob });
  two.edit({ Assignee: null });

  await setup.untilMarked(bob);
  await setup.untilRead();
  await until('the last change of each page is known', async () => {
    const known = [await setup.knownAssignees(one.id), await setup.knownAssignees(two.id)];
    return JSON.stringify(known) === JSON.stringify([[bob.id], []]);
  });
});

test('a page is not forgotten when its deletion arrives after its restoration', async () => {
  const task = await setup.known({ Name: 'One', Assignee: ada });
  const { feed } = setup.notion.webhooks;
  feed.hold();
  task.delete();
  // Events carry the fake's real time in milliseconds, and the restoration must be the later one.
  await new Promise((resolve) => setTimeout(resolve, 5));
  task.restore();
  const [deletion, restoration] = feed.made.slice(-2);
  if (deletion === undefined || restoration === undefined) throw new Error('expected two events');
  feed.release(() => [restoration]);
  await setup.untilMarked(ada);
  await setup.untilRead();
  expect(await setup.notion.webhooks.repeat(deletion)).toBe(200);
  await setup.untilRead();

  expect(deletion.type).toBe('page.deleted');
  expect(await setup.knownAssignees(task.id)).toEqual([ada.id]);
});

test('after lost events, the next event about the assignee marks all known assignees', async () => {
  const task = await setup.known({ Name: 'One', Assignee: ada });
  setup.listen({ loseEvery: 1 });
  task.edit({ Assignee: bob });
  setup.listen();
  task.edit({ Assignee: [bob, setup.notion.workspace.user('Eve')] });

  await setup.untilMarked(ada, bob);
});

test('events of one page that arrive while it waits lead to one read', async () => {
  const task = await setup.known({ Name: 'One', Assignee: ada });
  setup.notion.faults.on('getPage', { kind: 'hang' });
  const send = () => setup.send(setup.event('page.properties_updated', task.id));
  const reads = await setup.readsBy(async () => {
    await send();
    await until('the page is being read', () => setup.notion.faults.waiting === 1);
    for (let n = 0; n < 9; n += 1) await send();
    setup.notion.faults.release();
    await setup.untilMarked(ada);
  });

  expect(reads).toBe(2);
});
