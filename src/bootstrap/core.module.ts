import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { FailedAttempts } from '../common/http';
import { Metrics } from '../common/metrics';
import { RunMode } from '../common/run-mode';

/** What the process has before its modules. */
export interface Core {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly mode: RunMode;
}

/** Settings, clock, mode, metrics and counts of wrong tokens; each once for the process. */
@Global()
@Module({})
export class CoreModule {
  static of({ settings, clock, mode }: Core): DynamicModule {
    const providers = [
      { provide: Settings, useValue: settings },
      { provide: Clock, useValue: clock },
      { provide: RunMode, useValue: mode },
      FailedAttempts,
      Metrics,
    ];
    return { module: CoreModule, providers, exports: providers };
  }
}
