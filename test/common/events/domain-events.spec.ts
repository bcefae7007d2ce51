import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  DomainEvents,
  EventHandlerError,
  DomainEventsModule,
  DomainEventHandler,
} from '../../../src/common/events';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

const ERASED = { candidateId: 'c1', conversationIds: ['v1'] };
const NEEDED = { kind: 'dead', subject: 'job:1', reason: 'it failed five times' } as const;
const REPLAYED = { ...NEEDED, id: '1', conversationId: null, jobId: '1' };

let database: TestDatabase;
let calls: string[];
let bus: DomainEvents;

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(() => {
  calls = [];
  bus = new DomainEvents();
});
afterAll(() => database.close());

function commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test', work));
}

class Late {
  @DomainEventHandler('conversation.erased', { order: 20 })
  onErased(): void {
    calls.push('late');
  }
}

class Early {
  @DomainEventHandler('conversation.erased', { order: 10 })
  async onErased(tx: Tx): Promise<void> {
    await tx.query('select 1');
    calls.push('early');
  }
}

class Attention {
  @DomainEventHandler('attention.needed')
  onNeeded(_tx: Tx, { subject }: { subject: string }): void {
    calls.push(subject);
  }
}

class Replays {
  @DomainEventHandler('attention.replayed', { topic: 'dead' })
  @DomainEventHandler('attention.replayed', { topic: 'expired' })
  onReplayed(_tx: Tx, { subject }: { subject: string }): void {
    calls.push(`replayed ${subject}`);
  }
}

test('runs the handlers of an event by their order, in the transaction of the publisher', async () => {
  bus.register(new Late());
  bus.register(new Early());

  await commit((tx) => bus.publish(tx, 'conversation.erased', ERASED));

  expect(calls).toEqual(['early', 'late']);
});

test('rolls the publisher back when a handler throws', async () => {
  class Refusing {
    @DomainEventHandler('attention.needed')
    onNeeded(): Promise<void> {
      return Promise.reject(new Error('refused'));
    }
  }
  bus.register(new Refusing());

  const failing = commit(async (tx) => {
    await tx.query('create table half_done ()');
    await bus.publish(tx, 'attention.needed', NEEDED);
  });

  await expect(failing).rejects.toThrow('refused');
  const found = await commit((tx) => tx.query(`select to_regclass('half_done') as found`));
  expect(found).toEqual([{ found: null }]);
});

test('delivers an event by topic to the handler of that topic only', async () => {
  bus.register(new Replays());

  expect(bus.handles('attention.replayed', 'expired')).toBe(true);
  expect(bus.handles('attention.replayed', 'voice')).toBe(false);
  await commit((tx) => bus.publishTo(tx, 'attention.replayed', 'dead', REPLAYED));
  const unknown = commit((tx) => bus.publishTo(tx, 'attention.replayed', 'voice', REPLAYED));

  await expect(unknown).rejects.toBeInstanceOf(EventHandlerError);
  expect(calls).toEqual(['replayed job:1']);
});

test('returns the results of the handlers that are asked', async () => {
  class Summaries {
    @DomainEventHandler('interview.summary')
    onSummary(): null {
      return null;
    }

    @DomainEventHandler('candidate.exported')
    onExported(): { name: string; data: unknown } {
      return { name: 'reviews', data: [1] };
    }
  }
  bus.register(new Summaries());

  await commit(async (tx) => {
    expect(await bus.ask(tx, 'interview.summary', { conversationId: 'v1' })).toBeNull();
    expect(await bus.collect(tx, 'candidate.exported', ERASED)).toEqual([
      { name: 'reviews', data: [1] },
    ]);
    expect(await bus.collect(tx, 'candidate.erasing', { candidateId: 'c1' })).toEqual([]);
  });
});

test('refuses an event for one handler that has none', async () => {
  const publishing = commit((tx) => bus.publish(tx, 'attention.needed', NEEDED));

  await expect(publishing).rejects.toThrow('no handler is registered for the event');
});

test('refuses a second handler where one is allowed', () => {
  class Second {
    @DomainEventHandler('attention.needed')
    onNeeded(): void {
      calls.push('second');
    }
  }
  bus.register(new Attention());

  expect(() => {
    bus.register(new Second());
  }).toThrow(EventHandlerError);
});

test('refuses two instances of one handler class', () => {
  bus.register(new Early());

  expect(() => {
    bus.register(new Early());
  }).toThrow(EventHandlerError);
});

test('counts the same instance once', async () => {
  const early = new Early();
  bus.register(early);
  bus.register(early);

  await commit((tx) => bus.publish(tx, 'conversation.erased', ERASED));

  expect(calls).toEqual(['early']);
});

test('finds the handlers of every module at boot, and names the events that have none', async () => {
  @Injectable()
  class FoundAttention extends Attention {}
  @Module({ providers: [FoundAttention] })
  class Room {}
  const app = await Test.createTestingModule({ imports: [DomainEventsModule, Room] }).compile();
  await app.init();
  const found = app.get(DomainEvents);

  await commit((tx) => found.publish(tx, 'attention.needed', NEEDED));

  expect(calls).toEqual(['job:1']);
  expect(() => {
    found.assertComplete();
  }).toThrow(/no handler is registered for: conversation\.changed, /);
  await app.close();
});
