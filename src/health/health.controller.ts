import { Controller, Get, Header, Req, ServiceUnavailableException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../common/clock';
import { ProblemError } from '../common/http';
import { Drain } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { VERSION } from '../common/version';
import { ManagementAccess } from './management-access';
import { Readiness } from './readiness';

const RETRY_AFTER_S = 2;
const DRAINING =
  'This replica is ending: it finishes what was begun and takes no new requests; nothing has to be done.';

/** What a probe returns to a caller who may not see its details. */
type Verdict = Pick<HealthCheckResult, 'status'>;

/** What it returns to one who may. */
type Details<Body> = Body & {
  readonly version: string;
  /** Whole seconds since the application was built. */
  readonly uptimeS: number;
};

/** Probes for Kubernetes, and the metrics. They show states and counts, and no candidate's data. */
@ApiExcludeController()
@Controller()
export class HealthController {
  private readonly startedMs: number;
  private scraping: Promise<string> | null = null;

  constructor(
    private readonly checks: HealthCheckService,
    private readonly readiness: Readiness,
    private readonly drain: Drain,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly access: ManagementAccess,
  ) {
    this.startedMs = clock.monotonicMs();
    metrics
      .gauge('build_info', 'Always 1, with the release and the version of Node', [
        'version',
        'node',
      ])
      .set({ version: VERSION, node: process.versions.node }, 1);
  }

  /** Checks nothing and stays 200 while draining, so that a busy process is not killed. */
  @Get('health/live')
  live(@Req() request: FastifyRequest): { status: 'ok' } | Details<{ status: 'ok' }> {
    return this.access.allows(request) ? this.withBuild({ status: 'ok' }) : { status: 'ok' };
  }

  /** 200 while this replica should get traffic. The outage of a peer is shown and stays 200. */
  @Get('health/ready')
  @HealthCheck()
  async ready(
    @Req() request: FastifyRequest,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Details<HealthCheckResult> | Verdict> {
    if (this.drain.isDraining) {
      throw new ProblemError(503, 'draining', DRAINING, { retryAfterS: 1 });
    }
    return this.visibleTo(request, this.checks.check(this.readiness.ready(uow)));
  }

  /** 200 once the process listens, which it does only after its migrations; 200 while draining. */
  @Get('health/startup')
  @HealthCheck()
  startup(
    @Req() request: FastifyRequest,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Details<HealthCheckResult> | Verdict> {
    return this.visibleTo(request, this.checks.check(this.readiness.startup(uow)));
  }

  @Get('metrics')
  @Header('cache-control', 'no-store')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  exposition(): Promise<string> {
    // Scrapes at the same time share the figures, so that they read the database one at a time.
    this.scraping ??= this.scrape();
    return this.scraping;
  }

  private async scrape(): Promise<string> {
    try {
      return (await this.metrics.exposition()).body;
    } finally {
      this.scraping = null;
    }
  }

  /** Without the management token only the status, which is what Kubernetes reads. */
  private async visibleTo(
    request: FastifyRequest,
    checking: Promise<HealthCheckResult>,
  ): Promise<Details<HealthCheckResult> | Verdict> {
    if (this.access.allows(request)) return this.withBuild(await checking);
    try {
      return { status: (await checking).status };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      throw new ProblemError(503, 'unavailable', 'This server is not ready.', {
        retryAfterS: RETRY_AFTER_S,
      });
    }
  }

  private withBuild<Body>(body: Body): Details<Body> {
    const uptimeS = Math.floor((this.clock.monotonicMs() - this.startedMs) / 1000);
    return { ...body, version: VERSION, uptimeS };
  }
}
