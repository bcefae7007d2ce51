import { randomUUID } from 'node:crypto';
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

describe('a page event', () => {
  test('page.created marks the boards of all assignees of the page with one read', async () => {
    const reads = await setup.readsBy(async () => {
      setup.board.task({ Name: 'One', Assignee: [ada, bob] });
      await setup.untilMarked(ada, bob);
    });

    expect(reads).toBe(1);
  });

  test('page.properties_updated marks the boards of the new and the previous assignees', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    task.edit({ Assignee: bob });

    await setup.untilMarked(ada, bob);
    expect(await setup.knownAssignees(task.id)).toEqual([bob.id]);
  });

  test('page.deleted marks the known assignees without a read, and forgets the page', async () => {
    const task = await setup.known({ Name: 'One', Assignee: [ada, bob] });
    const reads = await setup.readsBy(async () => {
      task.delete();
      await setup.untilMarked(ada, bob);
    });

    expect(reads).toBe(0);
    expect(await setup.knownAssignees(task.id)).toBeNull();
  });

  test('page.deleted of an unknown page marks its assignees', async () => {
    setup.notion.webhooks.sendTo(null);
    const task = setup.board.task({ Name: 'One', Assignee: ada });
    setup.listen();
    task.delete();

    await setup.untilMarked(ada);
    expect(await setup.knownAssignees(task.id)).toBeNull();
  });

  test('page.undeleted marks its assignees', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    task.delete();
    await setup.untilMarked(ada);
    await setup.forgetMarks();
    task.restore();

    await setup.untilMarked(ada);
    expect(await setup.knownAssignees(task.id)).toEqual([ada.id]);
  });

  test('page.moved marks the old assignees when it leaves the board, and the new ones when it enters', async () => {
    const elsewhere = setup.notion.workspace.board({ title: 'Elsewhere' });
    const task = await setup.known({ Name: 'One', Assignee: ada });
    task.moveTo(elsewhere);
    await setup.untilMarked(ada);
    expect(await setup.knownAssignees(task.id)).toBeNull();

    await setup.forgetMarks();
    task.moveTo(setup.board);
    await setup.untilMarked(ada);
    expect(await setup.knownAssignees(task.id)).toEqual([ada.id]);
  });

  test('an unassigned page is skipped and counted', async () => {
    const before = await setup.pages('unassigned');
    const task = await setup.known({ Name: 'Nobody' });

    expect(await setup.pages('unassigned')).toBe(before + 1);
    expect(await setup.marked()).toEqual([]);
    expect(await setup.knownAssignees(task.id)).toEqual([]);
  });

  test('a page that is gone or no longer shared marks its known assignees and is forgotten', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    setup.board.unshare();
    const before = await setup.pages('gone');
    await setup.send(setup.event('page.properties_updated', task.id));
    await setup.untilMarked(ada);
    setup.board.share();

    expect(await setup.pages('gone')).toBe(before + 1);
    expect(await setup.knownAssignees(task.id)).toBeNull();
  });

  test('a person who has left the workspace does not block the others', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    ada.leaves();
    task.edit({ Assignee: [ada, bob], Importance: 3 });
    await setup.untilMarked(ada, bob);

    task.edit({ Assignee: bob });
    await until('the change is known', async () => {
      const ids = await setup.knownAssignees(task.id);
      return ids?.length === 1 && ids[0] === bob.id;
    });
    await setup.untilRead();
    expect(await setup.app.sql(`select 1 from job where state in ('dead', 'retry')`)).toEqual([]);
  });
});

describe('events of the data source', () => {
  test('data_source.content_updated leads to a read of each of its pages', async () => {
    setup.notion.webhooks.sendTo(null);
    const [one, two] = [
      setup.board.task({ Name: 'One', Assignee: ada }),
      setup.board.task({ Name: 'Two', Assignee: bob }),
    ];
    const updated = [one, two].map(({ id }) => ({ id, type: 'page' }));
    const reads = await setup.readsBy(async () => {
      await setup.send(
        ofSource('content_updated', [...updated, { id: randomUUID(), type: 'block' }]),
      );
      await setup.untilMarked(ada, bob);
    });

    expect(reads).toBe(2);
  });

  test('too many pages to read one by one are counted, logged and left to the sweep', async () => {
    const many = Array.from({ length: 201 }, () => ({ id: randomUUID(), type: 'page' }));
    const response = await setup.send(ofSource('content_updated', many));

    expect(response.status).toBe(200);
    expect(await setup.events('too_many_pages')).toBe(1);
    expect(setup.app.log.count('201 pages changed at once')).toBe(1);
  });

  test.each(['schema_updated', 'deleted', 'undeleted', 'moved', 'created'])(
    'data_source.%s marks no board, is counted, and logs what it means',
    async (what) => {
      const before = await setup.events('board_changed');
      const lines = setup.app.log.lines.length;
      expect((await setup.send(ofSource(what))).status).toBe(200);

      expect(await setup.events('board_changed')).toBe(before + 1);
      expect(setup.app.log.lines.slice(lines).join()).toContain('The');
      expect(await setup.marked()).toEqual([]);
    },
  );

  test('events of another data source are skipped, counted and logged once', async () => {
    const before = await setup.events('other_data_source');
    const other = { entity: { id: randomUUID(), type: 'data_source' } };
    for (let n = 0; n < 2; n += 1) {
      const event = { ...ofSource('content_updated'), ...other, id: randomUUID() };
      expect((await setup.send(event)).status).toBe(200);
    }

    expect(await setup.events('other_data_source')).toBe(before + 2);
    expect(setup.app.log.count(other.entity.id)).toBe(1);
  });

  function ofSource(what: string, blocks: object[] = []): Record<string, unknown> {
    const { board } = setup;
    return setup.event(`data_source.${what}`, board.id, {
      entity: { id: board.id, type: 'data_source' },
      data: { parent: { id: board.databaseId, type: 'database' }, updated_blocks: blocks },
    });
  }
});

describe('an event that names the changed properties', () => {
  /** Makes an edit, waits until its event is handled, and returns how many pages were read. */
  const edited = (work: () => void, outcome: string) =>
    setup.readsBy(async () => {
      const before = await setup.events(outcome);
      work();
      await until('the event is handled', async () => (await setup.events(outcome)) === before + 1);
    });

  test('causes no read, no row and no run when none of them is used', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    const rows = await setup.app.sql('select 1 from notion_event');
    const reads = await edited(() => {
      task.edit({ Name: 'One, and a longer name' });
    }, 'irrelevant');

    expect(reads).toBe(0);
    expect(await setup.marked()).toEqual([]);
    expect(await setup.app.sql('select 1 from notion_event')).toEqual(rows);
  });

  test('marks the known boards without a read when the assignee is not among them', async () => {
    const task = await setup.known({ Name: 'One', Assignee: [ada, bob] });
    const reads = await edited(() => {
      task.edit({ Name: 'Two', Importance: 4 });
    }, 'marked');

    expect(reads).toBe(0);
    expect(await setup.marked()).toEqual([ada.id, bob.id].sort());
  });

  test('causes a read when the assignee is among them or the page is unknown', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    expect(
      await edited(() => {
        task.edit({ Assignee: bob });
      }, 'stored'),
    ).toBe(1);

    await setup.app.sql('delete from notion_page');
    expect(
      await edited(() => {
        task.edit({ Importance: 4 });
      }, 'stored'),
    ).toBe(1);
  });

  test('causes a read after a schema change, until one page has been read', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    await setup.send(
      setup.event('data_source.schema_updated', setup.board.id, {
        entity: { id: setup.board.id, type: 'data_source' },
      }),
    );
    expect(
      await edited(() => {
        task.edit({ Name: 'Two' });
      }, 'stored'),
    ).toBe(1);
    expect(
      await edited(() => {
        task.edit({ Name: 'Three' });
      }, 'irrelevant'),
    ).toBe(0);
  });
});

describe('on a board that lacks one of our properties', () => {
  test('the ids come from its schema, so that only the first event reads a page', async () => {
    setup.board.dropColumn('At risk');
    await setup.app.sql('delete from notion_property');
    const task = await setup.known({ Name: 'One', Assignee: ada });
    const schemas = setup.notion.journal.calls('getDataSource').length;

    const reads = await setup.readsBy(async () => {
      for (const importance of [1, 2, 3]) {
        const before = await setup.events('marked');
        task.edit({ Importance: importance });
        await until('handled', async () => (await setup.events('marked')) === before + 1);
      }
    });

    expect(reads).toBe(0);
    expect(setup.notion.journal.calls('getDataSource')).toHaveLength(schemas);
    setup.board.addColumn('At risk', 'checkbox');
  });
});

describe('an event that was caused', () => {
  test('by our own bot alone is ignored and counted', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    const before = await setup.events('own_echo');
    const authors = [{ id: setup.notion.botId, type: 'bot' }];
    const reads = await setup.readsBy(() =>
      setup.send(setup.event('page.properties_updated', task.id, { authors })),
    );

    expect(await setup.events('own_echo')).toBe(before + 1);
    expect(reads).toBe(0);
    expect(await setup.marked()).toEqual([]);
  });

  test('by our bot and a person together is handled', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    const authors = [setup.notion.botId, bob.id].map((id) => ({ id, type: 'bot' }));
    await setup.send(setup.event('page.properties_updated', task.id, { authors }));

    await setup.untilMarked(ada);
  });

  test('by another bot or an agent is handled', async () => {
    const [one, two] = [
      await setup.known({ Name: 'One', Assignee: ada }),
      await setup.known({ Name: 'Two', Assignee: bob }),
    ];
    one.edit({ Importance: 1 }, setup.notion.workspace.otherBot('Zapper'));
    two.edit({ Importance: 1 }, setup.notion.workspace.agent('Agent'));

    await setup.untilMarked(ada, bob);
  });

  test('by an unnamed author is handled', async () => {
    const task = await setup.known({ Name: 'One', Assignee: ada });
    await setup.send(setup.event('page.properties_updated', task.id, { authors: [] }));

    await setup.untilMarked(ada);
  });
});
