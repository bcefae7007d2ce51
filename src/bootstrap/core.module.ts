import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { FailedAttempts } from '../common/http';
import { Drain, PeerHealth } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { UnitOfWorkFactory, UnitOfWorkMetrics } from '../common/uow';
import { ControlConnection, SignalConnection } from '../persistence';

/** What the process creates before the modules, and ends after them. */
export interface Core {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly dataSource: DataSource;
  readonly control: ControlConnection;
  readonly signals: SignalConnection;
}

/** Process-wide singletons, for the application and for commands. */
@Global()
@Module({})
export class CoreModule {
  static of({ settings, clock, dataSource, control, signals }: Core): DynamicModule {
    const providers = [
      { provide: Settings, useValue: settings },
      { provide: Clock, useValue: clock },
      { provide: DataSource, useValue: dataSource },
      { provide: ControlConnection, useValue: control },
      { provide: SignalConnection, useValue: signals },
      { provide: Drain, useValue: new Drain(clock, settings.shutdown.deadlineMs) },
      FailedAttempts,
      Metrics,
      PeerHealth,
      UnitOfWorkMetrics,
      UnitOfWorkFactory,
    ];
    return { module: CoreModule, providers, exports: providers };
  }
}
