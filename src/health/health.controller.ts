import { Controller, Get, Header, ServiceUnavailableException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { Settings } from '../common/config';
import { Drain } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { UnitsOfWork } from '../common/uow';
import { LaneBreakers, TaskWorker } from '../tasks';

/** The loop ticks every 250 ms; one that was silent this long does not work. */
const SILENT_TICKS = 20;

/** Probes for Kubernetes, and the metrics. */
@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly units: UnitsOfWork,
    private readonly worker: TaskWorker,
    private readonly breakers: LaneBreakers,
    private readonly drain: Drain,
    private readonly metrics: Metrics,
    private readonly settings: Settings,
  ) {}

  /** Depends on nothing, and stays 200 while draining: a busy process must not be killed. */
  @Get('health/live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 while this replica should get traffic. A peer's outage is shown and stays 200. */
  @Get('health/ready')
  @HealthCheck()
  async ready(): Promise<HealthCheckResult> {
    // Terminus answers 503 by itself only once Nest shuts down, which is after the drain.
    if (this.drain.isDraining) throw new ServiceUnavailableException({ status: 'draining' });
    return this.checks.check([() => this.database(), () => this.workers(), () => this.model()]);
  }

  /** 200 once migrated and listening: the process only listens after its migrations. */
  @Get('health/startup')
  @HealthCheck()
  startup(): Promise<HealthCheckResult> {
    return this.checks.check([() => this.database()]);
  }

  @Get('metrics')
  @Header('cache-control', 'no-store')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  async exposition(): Promise<string> {
    const { body } = await this.metrics.exposition();
    return body;
  }

  private async database(): Promise<HealthIndicatorResult> {
    const check = this.indicators.check('database');
    try {
      await this.units.run('health', (uow) =>
        uow.commit('health.check', (tx) => tx.query('select 1')),
      );
      return check.up();
    } catch {
      return check.down('the database does not answer');
    }
  }

  private workers(): HealthIndicatorResult {
    const check = this.indicators.check('workers');
    const ageMs = Math.round(this.worker.lastTickAgeMs());
    const isSilent = ageMs > Math.max(this.settings.tasks.pollMs * SILENT_TICKS, 5000);
    return isSilent ? check.down({ lastTickAgeMs: ageMs }) : check.up({ lastTickAgeMs: ageMs });
  }

  private model(): HealthIndicatorResult {
    const isDown = this.breakers.isOpen('flush');
    return this.indicators.check('model').up({ condition: isDown ? 'degraded' : 'ok' });
  }
}
