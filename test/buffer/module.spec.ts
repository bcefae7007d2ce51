import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { BufferModule, FlushAdmission } from '../../src/buffer';
import { Clock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { DomainEventsModule } from '../../src/common/events';
import { Drain } from '../../src/common/lifecycle';
import { Metrics } from '../../src/common/metrics';
import { RunMode } from '../../src/common/run-mode';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { ControlConnection } from '../../src/persistence';
import { JobRegistry } from '../../src/jobs';
import { TestChannelsModule } from '../support/channels';
import { settingsForTests } from '../support/settings';
import { TestBuffer } from './test-buffer';
import { ScriptedTurns } from './scripted-turns';

let setup: TestBuffer;
let conversation: string;
beforeAll(async () => {
  setup = await TestBuffer.open({ INTERVIEW_BUFFER_MAX_SIZE: '3' });
});
beforeEach(async () => {
  conversation = await setup.conversation();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

@Global()
@Module({})
class Core {
  static on({ units, clock, control }: TestBuffer): DynamicModule {
    const settings = settingsForTests({ INTERVIEW_BUFFER_ENABLED: 'false' });
    const providers = [
      { provide: UnitOfWorkFactory, useValue: units },
      { provide: Clock, useValue: clock },
      { provide: ControlConnection, useValue: control },
      { provide: Drain, useValue: new Drain(clock, 1000) },
      { provide: Settings, useValue: settings },
      { provide: Metrics, useValue: new Metrics() },
      { provide: RunMode, useValue: RunMode.server },
    ];
    return { module: Core, providers, exports: providers };
  }
}

/** Stands for the interview, which provides the handler of queue `flush`. */
@Module({
  imports: [BufferModule],
  providers: [
    {
      provide: ScriptedTurns,
      inject: [FlushAdmission],
      useFactory: (admission: FlushAdmission) =>
        new ScriptedTurns(
          admission,
          setup.units,
          setup.main.rig.jobs,
          setup.main.buffer,
          setup.clock,
        ),
    },
  ],
})
class Handlers {}

function appWith(...others: (typeof Handlers)[]): Promise<TestingModule> {
  const imports = [
    Core.on(setup),
    TestChannelsModule.on(),
    DomainEventsModule,
    BufferModule,
    ...others,
  ];
  return Test.createTestingModule({ imports }).compile();
}

test('the application does not start without a handler of queue flush', async () => {
  const app = await appWith();

  await expect(app.init()).rejects.toMatchObject({ code: 'job_handler' });
});

test('finds the handler, and makes waiting buffers due when the buffer is switched off', async () => {
  await setup.append(conversation, 'rye');
  const app = await appWith(Handlers);

  await app.init();

  expect(await setup.dueInMs(conversation)).toBe(0);
  expect(app.get(JobRegistry, { strict: false }).get('flush').concurrency).toBe(8);
  await app.close();
});
