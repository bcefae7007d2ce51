import {
  type AttentionService,
  AttentionClosedError,
  AttentionUnknownError,
} from '../../src/attention';
import {
  AttentionNotReplayableError,
  type DomainEvents,
  DomainEventHandler,
  type PayloadOf,
} from '../../src/common/events';
import type { Tx } from '../../src/common/uow';
import { attentionRig } from '../support/attention';
import { type TestDatabase, openTestDatabase } from '../support/app-database';

let database: TestDatabase;
let events: DomainEvents;
let attention: AttentionService;

beforeEach(async () => {
  database = await openTestDatabase();
  ({ attention, events } = attentionRig(database.clock));
});

afterEach(async () => {
  await database.close();
});

function inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test.commit', work));
}

async function raised(kind: 'dead' | 'expired' = 'dead', subject = 'job:7'): Promise<string> {
  await inCommit((tx) =>
    attention.raise(tx, { kind, subject, jobId: '7', reason: 'it failed three times' }),
  );
  const items = await inCommit((tx) => attention.list(tx, { state: 'all' }));
  return items.at(-1)?.id ?? '';
}

/** A handler of replays of dead jobs. */
function replayOf(
  replay: (tx: Tx, item: PayloadOf<'attention.replayed'>) => Promise<void>,
): object {
  class Replay {
    @DomainEventHandler('attention.replayed', { topic: 'dead' })
    onReplayed(tx: Tx, item: PayloadOf<'attention.replayed'>): Promise<void> {
      return replay(tx, item);
    }
  }
  return new Replay();
}

describe('raising', () => {
  test('lists the item once, however often it is raised while open', async () => {
    const item = { kind: 'dead', subject: 'job:7', jobId: '7', reason: 'why' } as const;

    const first = await inCommit((tx) => attention.raise(tx, item));
    const again = await inCommit((tx) => attention.raise(tx, { ...item, reason: 'other' }));

    expect([first.isNew, again.isNew]).toEqual([true, false]);
    await expect(inCommit((tx) => attention.list(tx))).resolves.toEqual([
      {
        id: expect.any(String) as string,
        kind: 'dead',
        subject: 'job:7',
        under: null,
        conversationId: null,
        jobId: '7',
        reason: 'why',
        createdAt: database.clock.now(),
        closedAt: null,
        closedBy: null,
        resolution: null,
      },
    ]);
  });

  test('keeps kinds and subjects apart', async () => {
    await raised('dead', 'job:7');
    await raised('expired', 'job:7');
    await raised('dead', 'job:8');

    await expect(inCommit((tx) => attention.list(tx))).resolves.toHaveLength(3);
  });

  test('leaves nothing when its commit is rolled back', async () => {
    const failing = inCommit(async (tx) => {
      await attention.raise(tx, { kind: 'dead', subject: 'job:7', reason: 'why' });
      throw new Error('roll back');
    });

    await expect(failing).rejects.toThrow('roll back');
    await expect(inCommit((tx) => attention.list(tx))).resolves.toEqual([]);
  });

  test('does not wait for and does not double another commit that raises the same', async () => {
    await Promise.all([raised(), raised(), raised()]);

    await expect(inCommit((tx) => attention.list(tx))).resolves.toHaveLength(1);
  });
});

describe('closing', () => {
  test('keeps who did it and why, and takes the item off the open list', async () => {
    const id = await raised();

    const closed = await inCommit((tx) => attention.close(tx, id, 'Nora', 'answered by phone'));

    expect(closed).toMatchObject({
      closedAt: database.clock.now(),
      closedBy: 'Nora',
      resolution: 'answered by phone',
    });
    await expect(inCommit((tx) => attention.list(tx))).resolves.toEqual([]);
    await expect(inCommit((tx) => attention.list(tx, { state: 'closed' }))).resolves.toEqual([
      closed,
    ]);
  });

  test('allows the same subject to be raised anew', async () => {
    const id = await raised();
    await inCommit((tx) => attention.close(tx, id, 'Nora', 'done'));

    await expect(raised()).resolves.not.toBe(id);
  });

  test('happens once', async () => {
    const id = await raised();
    await inCommit((tx) => attention.close(tx, id, 'Nora', 'done'));

    const again = inCommit((tx) => attention.close(tx, id, 'Bo', 'done'));

    await expect(again).rejects.toThrow(AttentionClosedError);
  });

  test.each(['999', '0', '-1', 'x', '', '9'.repeat(30)])('refuses the id %j', async (id) => {
    const closing = inCommit((tx) => attention.close(tx, id, 'Nora', 'done'));

    await expect(closing).rejects.toThrow(AttentionUnknownError);
  });
});

describe('a replay', () => {
  test('runs the handler of its kind and closes the item in one commit', async () => {
    const seen: string[] = [];
    events.register(
      replayOf((_tx, item) => {
        seen.push(item.subject);
        return Promise.resolve();
      }),
    );
    const id = await raised();

    const item = await inCommit((tx) => attention.replay(tx, id, 'Nora'));

    expect(seen).toEqual(['job:7']);
    expect(item).toMatchObject({ closedBy: 'Nora', resolution: 'replayed' });
  });

  test('that is refused leaves the item open and nothing done', async () => {
    events.register(
      replayOf(async (tx, item) => {
        await attention.raise(tx, { kind: 'braked', subject: item.subject, reason: 'half done' });
        throw new Error('a later answer was given');
      }),
    );
    const id = await raised();

    const replay = inCommit((tx) => attention.replay(tx, id, 'Nora'));

    await expect(replay).rejects.toThrow('a later answer was given');
    await expect(inCommit((tx) => attention.list(tx))).resolves.toMatchObject([{ id }]);
  });

  test('asked for twice at once is done once', async () => {
    events.register(
      replayOf(async (tx) => {
        await attention.raise(tx, { kind: 'braked', subject: 'mark', reason: 'done' });
      }),
    );
    const id = await raised();

    const results = await Promise.allSettled(
      ['Nora', 'Bo'].map((by) => inCommit((tx) => attention.replay(tx, id, by))),
    );

    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('needs a handler: without one the item can only be closed', async () => {
    const id = await raised('expired');
    const item = await inCommit((tx) => attention.get(tx, id));

    expect(attention.isReplayable(item)).toBe(false);
    await expect(inCommit((tx) => attention.replay(tx, id, 'Nora'))).rejects.toThrow(
      AttentionNotReplayableError,
    );
  });

  test('has one handler for a kind', () => {
    events.register(replayOf(() => Promise.resolve()));

    expect(() => {
      events.register(replayOf(() => Promise.resolve()));
    }).toThrow('"attention.replayed dead" already has a handler');
  });
});

describe('events', () => {
  test('attention.needed adds an item, and attention.settled closes the items of its subject', async () => {
    const item = { kind: 'stalled', subject: 'notion:scan', reason: 'why' } as const;
    await inCommit((tx) => events.publish(tx, 'attention.needed', item));
    await inCommit((tx) => events.publish(tx, 'attention.needed', item));
    expect(await inCommit((tx) => attention.list(tx))).toMatchObject([item]);

    const settled = { subject: 'notion:scan', resolution: 'a later scan ended' };
    await inCommit((tx) => events.publish(tx, 'attention.settled', settled));

    expect(await inCommit((tx) => attention.list(tx))).toEqual([]);
    expect(await inCommit((tx) => attention.list(tx, { state: 'closed' }))).toMatchObject([
      { closedBy: 'colloquy', resolution: 'a later scan ended' },
    ]);
  });

  test('a replay is published to the handler of the subject, before that of the kind', async () => {
    const seen: string[] = [];
    class Handlers {
      @DomainEventHandler('attention.replayed', { topic: 'board' })
      board(_tx: Tx, { subject }: PayloadOf<'attention.replayed'>): void {
        seen.push(`board: ${subject}`);
      }

      @DomainEventHandler('attention.replayed', { topic: 'dead' })
      dead(_tx: Tx, { subject }: PayloadOf<'attention.replayed'>): void {
        seen.push(`dead: ${subject}`);
      }
    }
    events.register(new Handlers());

    for (const subject of ['board:5', 'job:7']) {
      const id = await raised('dead', subject);
      expect(attention.isReplayable(await inCommit((tx) => attention.get(tx, id)))).toBe(true);
      await inCommit((tx) => attention.replay(tx, id, 'Nora'));
    }

    expect(seen).toEqual(['board: board:5', 'dead: job:7']);
    expect(await inCommit((tx) => attention.list(tx))).toEqual([]);
  });
});
