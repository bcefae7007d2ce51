import type { NotionUser } from '../../../tools/fake-notion';
import { until } from '../../support/postgres/processes';
import { NotionStage } from './notion-stage';

let stage: NotionStage;
let ada: NotionUser;
let bob: NotionUser;

beforeAll(async () => {
  stage = await NotionStage.open();
  await until('the bot knows its own id', () => stage.told('Notion knows this integration') > 0);
});
afterAll(() => stage.close());

beforeEach(() => {
  ada = stage.notion.workspace.user('Ada');
  bob = stage.notion.workspace.user('Bob');
  stage.listen();
});
afterEach(async () => {
  await stage.untilRead();
  stage.notion.webhooks.sendTo(null);
  await stage.forgetMarks();
});

test('an event that is delivered several times is handled once', async () => {
  const task = await stage.known({ Name: 'One', Assignee: ada });
  const before = await stage.events('duplicate');
  stage.listen({ copies: 3 });
  const reads = await stage.readsBy(async () => {
    task.edit({ Assignee: [ada, bob] });
    await until(
      'all copies have arrived',
      async () => (await stage.events('duplicate')) === before + 2,
    );
  });

  expect(reads).toBe(1);
  expect(await stage.marked()).toEqual([ada.id, bob.id].sort());
});

test('a second attempt to deliver a handled event is dropped', async () => {
  const task = await stage.known({ Name: 'One', Assignee: ada });
  const event = stage.event('page.properties_updated', task.id);
  await stage.send(event);
  await stage.untilMarked(ada);
  await stage.untilRead();
  await stage.forgetMarks();
  expect((await stage.send({ ...event, attempt_number: 2 })).status).toBe(200);

  expect(await stage.marked()).toEqual([]);
  expect(await stage.waiting()).toEqual([]);
});

test('one event for several edits marks all boards concerned', async () => {
  const [one, two] = [
    await stage.known({ Name: 'One', Assignee: ada }),
    await stage.known({ Name: 'Two' }),
  ];
  stage.listen({ aggregateMs: 50 });
  const reads = await stage.readsBy(async () => {
    one.edit({ Importance: 1 });
    one.edit({ Assignee: bob });
    one.edit({ Importance: 2 });
    two.edit({ Assignee: ada });
    await stage.untilMarked(ada, bob);
    await until(
      'both events are handled',
      async () => (await stage.knownAssignees(two.id))?.length === 1,
    );
  });

  expect(reads).toBe(2);
});

test('events in the wrong order have the same result, because the current page is read', async () => {
  const [one, two] = [await stage.known({ Name: 'One' }), await stage.known({ Name: 'Two' })];
  stage.listen({ reverseBy: 4 });
  one.edit({ Assignee: ada });
  two.edit({ Assignee: ada });
  one.edit({ Assignee: bob });
  two.edit({ Assignee: null });

  await stage.untilMarked(bob);
  await stage.untilRead();
  await until('the last change of each page is known', async () => {
    const known = [await stage.knownAssignees(one.id), await stage.knownAssignees(two.id)];
    return JSON.stringify(known) === JSON.stringify([[bob.id], []]);
  });
});

test('a page is not forgotten when its deletion arrives after its restoration', async () => {
  const task = await stage.known({ Name: 'One', Assignee: ada });
  const { feed } = stage.notion.webhooks;
  feed.hold();
  task.delete();
  await new Promise((resolve) => setTimeout(resolve, 5));
  task.restore();
  const [deletion, restoration] = feed.made.slice(-2);
  if (deletion === undefined || restoration === undefined) throw new Error('expected two events');
  feed.release(() => [restoration]);
  await stage.untilMarked(ada);
  await stage.untilRead();
  expect(await stage.notion.webhooks.repeat(deletion)).toBe(200);
  await stage.untilRead();

  expect(deletion.type).toBe('page.deleted');
  expect(await stage.knownAssignees(task.id)).toEqual([ada.id]);
});

test('after lost events, the next event about the assignee marks all known assignees', async () => {
  const task = await stage.known({ Name: 'One', Assignee: ada });
  stage.listen({ loseEvery: 1 });
  task.edit({ Assignee: bob });
  stage.listen();
  task.edit({ Assignee: [bob, stage.notion.workspace.user('Eve')] });

  await stage.untilMarked(ada, bob);
});

test('events of one page that arrive while it waits lead to one read', async () => {
  const task = await stage.known({ Name: 'One', Assignee: ada });
  stage.notion.faults.on('getPage', { kind: 'hang' });
  const send = () => stage.send(stage.event('page.properties_updated', task.id));
  const reads = await stage.readsBy(async () => {
    await send();
    await until('the page is being read', () => stage.notion.faults.waiting === 1);
    for (let n = 0; n < 9; n += 1) await send();
    stage.notion.faults.release();
    await stage.untilMarked(ada);
  });

  expect(reads).toBe(2);
});
