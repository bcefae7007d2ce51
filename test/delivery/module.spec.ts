import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Clock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { DomainEvents, DomainEventsModule } from '../../src/common/events';
import { Drain } from '../../src/common/lifecycle';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { ChannelRegistry, ChannelsModule } from '../../src/channels';
import { DeliveryModule, DeliveryService } from '../../src/delivery';
import { ControlConnection } from '../../src/persistence';
import { JobRegistry } from '../../src/jobs';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { FakeChannel } from './fake-channel';
import { DeliveryLog } from './process';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

@Global()
@Module({})
class Core {
  static on({ units, clock, control }: TestDatabase): DynamicModule {
    const providers = [
      { provide: UnitOfWorkFactory, useValue: units },
      { provide: Clock, useValue: clock },
      { provide: ControlConnection, useValue: control },
      { provide: Drain, useValue: new Drain(clock, 1000) },
      { provide: Settings, useValue: settingsForTests() },
      { provide: Metrics, useValue: new Metrics() },
    ];
    return { module: Core, providers, exports: providers };
  }
}

/** Stands for the interview. */
@Module({ providers: [DeliveryLog] })
class Interview {}

/** Stands for a channel. */
@Module({ providers: [FakeChannel] })
class Channel {}

function appWith(...others: (typeof Interview)[]): Promise<TestingModule> {
  const imports = [Core.on(db), ChannelsModule, DomainEventsModule, DeliveryModule, ...others];
  return Test.createTestingModule({ imports }).compile();
}

function queuesOf(app: TestingModule): string[] {
  const queues = app.get(JobRegistry, { strict: false }).all();
  return queues.filter(({ handler }) => handler.isOn !== false).map(({ queue }) => queue);
}

test('the check at boot refuses an application that handles no event of a delivery', async () => {
  const app = await appWith(Channel);
  await app.init();

  for (const what of ['delivered', 'unconfirmed', 'failed', 'blocked', 'unblocked']) {
    expect(() => {
      app.get(DomainEvents).assertComplete();
    }).toThrow(`delivery.${what}`);
  }
  await app.close();
});

test('one class handles all events of a delivery', async () => {
  const app = await appWith(Interview, Channel);
  await app.init();

  expect(() => {
    app.get(DomainEvents).assertComplete();
  }).not.toThrow(/delivery\./);
  await app.close();
});

test('a channel is found at the start and sent to', async () => {
  const app = await appWith(Interview, Channel);
  await app.init();

  expect(queuesOf(app)).toEqual(['deliver']);
  expect(app.get(DeliveryService, { strict: false }).sends('telegram')).toBe(true);
  expect(() => {
    app.get(ChannelRegistry).register(new FakeChannel());
  }).toThrow('registered already');
  await app.close();
});

test('without a channel the worker claims no deliveries, so that they wait until a channel is configured', async () => {
  const app = await appWith(Interview);
  await app.init();

  expect(queuesOf(app)).toEqual([]);
  await app.close();
});
