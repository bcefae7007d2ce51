import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { FailedAttempts } from '../common/http';
import { Metrics } from '../common/metrics';

/** What the process has before its modules. */
export interface Core {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Settings, clock, metrics and counts of wrong tokens; each once for the process, also in commands. */
@Global()
@Module({})
export class CoreModule {
  static of({ settings, clock }: Core): DynamicModule {
    const providers = [
      { provide: Settings, useValue: settings },
      { provide: Clock, useValue: clock },
      FailedAttempts,
      Metrics,
    ];
    return { module: CoreModule, providers, exports: providers };
  }
}
