import { Controller, Get, Header, Req, ServiceUnavailableException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { ProblemError } from '../common/http';
import { Drain, PeerHealth } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { countMissingMigrations } from '../persistence';
import { JobWorker } from '../jobs';
import { ManagementAccess } from './management-access';

/** A worker that was silent for so many polls, and for this long, does not work. */
const SILENT_POLLS = 20;
const SILENT_MS = 5000;
/** A probe that gets no answer is asked again soon: better a no in time. */
const DATABASE_MS = 1500;
const RETRY_AFTER_S = 2;

/** What a probe tells whoever may not see its details. */
type Verdict = Pick<HealthCheckResult, 'status'>;

/** Probes for Kubernetes, and the metrics. They tell states and counts, nothing of a candidate. */
@ApiExcludeController()
@Controller()
export class HealthController {
  private scraped: { readonly atMs: number; readonly body: Promise<string> } | null = null;

  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly worker: JobWorker,
    private readonly peers: PeerHealth,
    private readonly drain: Drain,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly access: ManagementAccess,
  ) {}

  /** Depends on nothing, and stays 200 while draining: a busy process must not be killed. */
  @Get('health/live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 while this replica should get traffic. A peer's outage is shown and stays 200. */
  @Get('health/ready')
  @HealthCheck()
  async ready(
    @Req() request: FastifyRequest,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<HealthCheckResult | Verdict> {
    if (this.drain.isDraining) {
      throw new ProblemError(503, 'draining', 'This server is restarting.', { retryAfterS: 1 });
    }
    const peers = this.peers.all().map(
      ({ peer, trouble }) =>
        () =>
          this.peer(peer, trouble),
    );
    const checks = [() => this.database(uow), () => this.workers(), ...peers];
    return this.shown(request, this.checks.check(checks));
  }

  /** 200 once migrated and listening: the process only listens after its migrations. */
  @Get('health/startup')
  @HealthCheck()
  startup(
    @Req() request: FastifyRequest,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<HealthCheckResult | Verdict> {
    return this.shown(request, this.checks.check([() => this.database(uow)]));
  }

  @Get('metrics')
  @Header('cache-control', 'no-store')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  exposition(): Promise<string> {
    const nowMs = this.clock.monotonicMs();
    const { metricsMaxAgeMs } = this.settings.http;
    if (this.scraped === null || nowMs - this.scraped.atMs >= metricsMaxAgeMs) {
      const body = this.metrics.exposition().then((exposition) => exposition.body);
      this.scraped = { atMs: nowMs, body };
    }
    return this.scraped.body;
  }

  /** The status alone where the details are not for the caller: it is what Kubernetes reads. */
  private async shown(
    request: FastifyRequest,
    checking: Promise<HealthCheckResult>,
  ): Promise<HealthCheckResult | Verdict> {
    if (this.access.allows(request)) return checking;
    try {
      return { status: (await checking).status };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      throw new ProblemError(503, 'unavailable', 'This server is not ready.', {
        retryAfterS: RETRY_AFTER_S,
      });
    }
  }

  private async database(uow: UnitOfWork): Promise<HealthIndicatorResult> {
    const check = this.indicators.check('database');
    const missing = await this.missingMigrations(uow);
    if (missing === 0) return check.up();
    return check.down(
      missing === null ? 'it does not answer' : `${missing} migrations are missing`,
    );
  }

  /** Null when the database does not tell in time. */
  private async missingMigrations(uow: UnitOfWork): Promise<number | null> {
    const answered = new AbortController();
    const asking = uow.commitOne('health.check', countMissingMigrations).catch(() => null);
    const tired = this.clock.sleep(DATABASE_MS, answered.signal).then(() => null);
    const missing = await Promise.race([asking, tired]);
    answered.abort();
    return missing;
  }

  private workers(): HealthIndicatorResult {
    const check = this.indicators.check('workers');
    const ageMs = Math.round(this.worker.lastTickAgeMs());
    const isSilent = ageMs > Math.max(this.settings.jobs.pollMs * SILENT_POLLS, SILENT_MS);
    return isSilent ? check.down({ lastTickAgeMs: ageMs }) : check.up({ lastTickAgeMs: ageMs });
  }

  /** Up whatever its trouble is: one channel's outage must not take the others offline. */
  private peer(peer: string, trouble: string | null): HealthIndicatorResult {
    const check = this.indicators.check(peer);
    return trouble === null
      ? check.up({ condition: 'ok' })
      : check.up({ condition: 'degraded', trouble });
  }
}
