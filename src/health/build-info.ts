import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Metrics } from '../common/metrics';
import { VERSION } from '../common/version';

/** Which release runs, and for how long. */
@Injectable()
export class BuildInfo {
  readonly version = VERSION;
  private readonly startedMs: number;

  constructor(
    metrics: Metrics,
    private readonly clock: Clock,
  ) {
    this.startedMs = clock.monotonicMs();
    metrics
      .gauge('build_info', 'Always 1, with the release and the version of Node', [
        'version',
        'node',
      ])
      .set({ version: VERSION, node: process.versions.node }, 1);
  }

  /** Whole seconds since the application was built. */
  get uptimeS(): number {
    return Math.floor((this.clock.monotonicMs() - this.startedMs) / 1000);
  }
}
