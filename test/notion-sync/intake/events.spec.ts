import { randomUUID } from 'node:crypto';
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

describe('a page event', () => {
  test('page.created marks the boards of all assignees of the page with one read', async () => {
    const reads = await stage.readsBy(async () => {
      stage.board.task({ Name: 'One', Assignee: [ada, bob] });
      await stage.untilMarked(ada, bob);
    });

    expect(reads).toBe(1);
  });

  test('page.properties_updated marks the boards of the new and the previous assignees', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    task.edit({ Assignee: bob });

    await stage.untilMarked(ada, bob);
    expect(await stage.knownAssignees(task.id)).toEqual([bob.id]);
  });

  test('page.deleted marks the known assignees without a read, and forgets the page', async () => {
    const task = await stage.known({ Name: 'One', Assignee: [ada, bob] });
    const reads = await stage.readsBy(async () => {
      task.delete();
      await stage.untilMarked(ada, bob);
    });

    expect(reads).toBe(0);
    expect(await stage.knownAssignees(task.id)).toBeNull();
  });

  test('page.deleted of an unknown page marks its assignees', async () => {
    stage.notion.webhooks.sendTo(null);
    const task = stage.board.task({ Name: 'One', Assignee: ada });
    stage.listen();
    task.delete();

    await stage.untilMarked(ada);
    expect(await stage.knownAssignees(task.id)).toBeNull();
  });

  test('page.undeleted marks its assignees', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    task.delete();
    await stage.untilMarked(ada);
    await stage.forgetMarks();
    task.restore();

    await stage.untilMarked(ada);
    expect(await stage.knownAssignees(task.id)).toEqual([ada.id]);
  });

  test('page.moved marks the old assignees when it leaves the board, and the new ones when it enters', async () => {
    const elsewhere = stage.notion.workspace.board({ title: 'Elsewhere' });
    const task = await stage.known({ Name: 'One', Assignee: ada });
    task.moveTo(elsewhere);
    await stage.untilMarked(ada);
    expect(await stage.knownAssignees(task.id)).toBeNull();

    await stage.forgetMarks();
    task.moveTo(stage.board);
    await stage.untilMarked(ada);
    expect(await stage.knownAssignees(task.id)).toEqual([ada.id]);
  });

  test('an unassigned page is skipped and counted', async () => {
    const before = await stage.pages('unassigned');
    const task = await stage.known({ Name: 'Nobody' });

    expect(await stage.pages('unassigned')).toBe(before + 1);
    expect(await stage.marked()).toEqual([]);
    expect(await stage.knownAssignees(task.id)).toEqual([]);
  });

  test('a page that is gone or no longer shared marks its known assignees and is forgotten', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    stage.board.unshare();
    const before = await stage.pages('gone');
    await stage.send(stage.event('page.properties_updated', task.id));
    await stage.untilMarked(ada);
    stage.board.share();

    expect(await stage.pages('gone')).toBe(before + 1);
    expect(await stage.knownAssignees(task.id)).toBeNull();
  });

  test('a person who has left the workspace does not block the others', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    ada.leaves();
    task.edit({ Assignee: [ada, bob], Importance: 3 });
    await stage.untilMarked(ada, bob);

    task.edit({ Assignee: bob });
    await until('the change is known', async () => {
      const ids = await stage.knownAssignees(task.id);
      return ids?.length === 1 && ids[0] === bob.id;
    });
    await stage.untilRead();
    expect(await stage.rows(`select 1 from job where state in ('dead', 'retry')`)).toEqual([]);
  });
});

describe('events of the data source', () => {
  test('data_source.content_updated leads to a read of each of its pages', async () => {
    stage.notion.webhooks.sendTo(null);
    const [one, two] = [
      stage.board.task({ Name: 'One', Assignee: ada }),
      stage.board.task({ Name: 'Two', Assignee: bob }),
    ];
    const updated = [one, two].map(({ id }) => ({ id, type: 'page' }));
    const reads = await stage.readsBy(async () => {
      await stage.send(
        ofSource('content_updated', [...updated, { id: randomUUID(), type: 'block' }]),
      );
      await stage.untilMarked(ada, bob);
    });

    expect(reads).toBe(2);
  });

  test('too many pages to read one by one are counted, logged and left to the sweep', async () => {
    const many = Array.from({ length: 201 }, () => ({ id: randomUUID(), type: 'page' }));
    const answer = await stage.send(ofSource('content_updated', many));

    expect(answer.status).toBe(200);
    expect(await stage.events('too_many_pages')).toBe(1);
    expect(stage.told('201 pages changed at once')).toBe(1);
  });

  test.each(['schema_updated', 'deleted', 'undeleted', 'moved', 'created'])(
    'data_source.%s marks no board, is counted, and logs what it means',
    async (what) => {
      const before = await stage.events('board_changed');
      const lines = stage.app.log.lines.length;
      expect((await stage.send(ofSource(what))).status).toBe(200);

      expect(await stage.events('board_changed')).toBe(before + 1);
      expect(stage.app.log.lines.slice(lines).join()).toContain('The');
      expect(await stage.marked()).toEqual([]);
    },
  );

  test('events of another data source are skipped, counted and logged once', async () => {
    const before = await stage.events('other_data_source');
    const other = { entity: { id: randomUUID(), type: 'data_source' } };
    for (let n = 0; n < 2; n += 1) {
      const event = { ...ofSource('content_updated'), ...other, id: randomUUID() };
      expect((await stage.send(event)).status).toBe(200);
    }

    expect(await stage.events('other_data_source')).toBe(before + 2);
    expect(stage.told(other.entity.id)).toBe(1);
  });

  function ofSource(what: string, blocks: object[] = []): Record<string, unknown> {
    const { board } = stage;
    return stage.event(`data_source.${what}`, board.id, {
      entity: { id: board.id, type: 'data_source' },
      data: { parent: { id: board.databaseId, type: 'database' }, updated_blocks: blocks },
    });
  }
});

describe('an event that names the changed properties', () => {
  /** Makes an edit, waits until its event is handled, and returns how many pages were read. */
  const edited = (work: () => void, outcome: string) =>
    stage.readsBy(async () => {
      const before = await stage.events(outcome);
      work();
      await until('the event is handled', async () => (await stage.events(outcome)) === before + 1);
    });

  test('causes no read, no row and no run when none of them is used', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    const rows = await stage.rows('select 1 from notion_event');
    const reads = await edited(() => {
      task.edit({ Name: 'One, and a longer name' });
    }, 'irrelevant');

    expect(reads).toBe(0);
    expect(await stage.marked()).toEqual([]);
    expect(await stage.rows('select 1 from notion_event')).toEqual(rows);
  });

  test('marks the known boards without a read when the assignee is not among them', async () => {
    const task = await stage.known({ Name: 'One', Assignee: [ada, bob] });
    const reads = await edited(() => {
      task.edit({ Name: 'Two', Importance: 4 });
    }, 'marked');

    expect(reads).toBe(0);
    expect(await stage.marked()).toEqual([ada.id, bob.id].sort());
  });

  test('causes a read when the assignee is among them or the page is unknown', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    expect(
      await edited(() => {
        task.edit({ Assignee: bob });
      }, 'stored'),
    ).toBe(1);

    await stage.rows('delete from notion_page');
    expect(
      await edited(() => {
        task.edit({ Importance: 4 });
      }, 'stored'),
    ).toBe(1);
  });

  test('causes a read after a schema change, until one page has been read', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    await stage.send(
      stage.event('data_source.schema_updated', stage.board.id, {
        entity: { id: stage.board.id, type: 'data_source' },
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

describe('an event that was caused', () => {
  test('by our own bot alone is ignored and counted', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    const before = await stage.events('own_echo');
    const authors = [{ id: stage.notion.botId, type: 'bot' }];
    const reads = await stage.readsBy(() =>
      stage.send(stage.event('page.properties_updated', task.id, { authors })),
    );

    expect(await stage.events('own_echo')).toBe(before + 1);
    expect(reads).toBe(0);
    expect(await stage.marked()).toEqual([]);
  });

  test('by our bot and a person together is handled', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    const authors = [stage.notion.botId, bob.id].map((id) => ({ id, type: 'bot' }));
    await stage.send(stage.event('page.properties_updated', task.id, { authors }));

    await stage.untilMarked(ada);
  });

  test('by another bot or an agent is handled', async () => {
    const [one, two] = [
      await stage.known({ Name: 'One', Assignee: ada }),
      await stage.known({ Name: 'Two', Assignee: bob }),
    ];
    one.edit({ Importance: 1 }, stage.notion.workspace.otherBot('Zapper'));
    two.edit({ Importance: 1 }, stage.notion.workspace.agent('Agent'));

    await stage.untilMarked(ada, bob);
  });

  test('by an unnamed author is handled', async () => {
    const task = await stage.known({ Name: 'One', Assignee: ada });
    await stage.send(stage.event('page.properties_updated', task.id, { authors: [] }));

    await stage.untilMarked(ada);
  });
});
