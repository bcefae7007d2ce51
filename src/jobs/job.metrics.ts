import { Injectable, Logger } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { describeError } from '../common/errors';
import { Metrics, shared } from '../common/metrics';
import { UnitOfWorkFactory } from '../common/uow';
import { type BreakerState, QueueBreakers } from './breakers';
import { HeldJobs } from './held-jobs';
import { JobRegistry } from './job';
import { JobRepository, type QueueSize } from './job.repository';
import type { QueueName } from './queue-names';

type ByQueue = Counter<'queue'>;

const BREAKER_VALUE: Record<BreakerState, number> = { closed: 0, half_open: 1, open: 2 };

/** Counts claims and how they end; reads held claims and breakers at each scrape. */
@Injectable()
export class JobMetrics {
  private readonly claims: Counter<'queue' | 'kind'>;
  private readonly lateness: Histogram<'queue'>;
  private readonly completions: ByQueue;
  private readonly failures: ByQueue;
  private readonly givenBack: ByQueue;
  private readonly deaths: ByQueue;
  private readonly losses: ByQueue;
  private readonly durations: Histogram<'queue'>;

  constructor(
    private readonly metrics: Metrics,
    registry: JobRegistry,
    held: HeldJobs,
    breakers: QueueBreakers,
  ) {
    this.claims = metrics.counter('job_claims_total', 'Claims', ['queue', 'kind']);
    this.lateness = metrics.histogram(
      'job_claim_lateness_seconds',
      'First claim of a job minus its due time',
      ['queue'],
    );
    this.durations = metrics.histogram(
      'job_run_seconds',
      'From the start of a claim to its end, with any outcome',
      ['queue'],
    );
    this.completions = metrics.counter('job_completions_total', 'Jobs done', ['queue']);
    this.failures = metrics.counter('job_failures_total', 'Failures counted against jobs', [
      'queue',
    ]);
    this.givenBack = metrics.counter(
      'job_given_back_total',
      'Claims given back without a failure: the peer or our database failed, or the job has to wait',
      ['queue'],
    );
    this.deaths = metrics.counter('job_deaths_total', 'Jobs that became dead', ['queue']);
    this.losses = metrics.counter('job_leases_lost_total', 'Leases lost to another claim', [
      'queue',
    ]);
    metrics.gauge('jobs_held', 'Claimed jobs that run in this process', ['queue'], (gauge) => {
      for (const { queue } of registry.all()) gauge.set({ queue }, held.count(queue));
    });
    metrics.gauge('job_breaker', '0 closed, 1 half open, 2 open', ['queue'], (gauge) => {
      for (const { queue } of registry.all()) {
        gauge.set({ queue }, BREAKER_VALUE[breakers.state(queue)]);
      }
    });
  }

  claimed(queue: QueueName, options: { takenOver: boolean; firstLatenessMs: number | null }): void {
    this.claims.inc({ queue, kind: options.takenOver ? 'takeover' : 'ready' });
    if (options.firstLatenessMs === null) return;
    this.lateness.observe({ queue }, Math.max(0, options.firstLatenessMs / 1000));
  }

  /** One claim, from its start to its end. */
  ran(queue: QueueName, tookMs: number): void {
    this.durations.observe({ queue }, tookMs / 1000);
  }

  completed(queue: QueueName): void {
    this.completions.inc({ queue });
  }

  failed(queue: QueueName): void {
    this.failures.inc({ queue });
  }

  gaveBack(queue: QueueName): void {
    this.givenBack.inc({ queue });
  }

  died(queue: QueueName): void {
    this.deaths.inc({ queue });
  }

  lost(queue: QueueName): void {
    this.losses.inc({ queue });
  }

  /** `ageMs` is called at each scrape. */
  showTickAge(ageMs: () => number): void {
    this.metrics.gauge(
      'job_last_tick_age_seconds',
      'Time since the last complete pass of the job loop',
      [],
      (gauge) => {
        gauge.set(ageMs() / 1000);
      },
    );
  }
}

/**
 * What waits in the queues of the whole cluster, read from the database at each scrape. Every replica
 * shows the same figures, so a dashboard takes their maximum and not their sum.
 */
@Injectable()
export class QueueMetrics {
  private readonly logger = new Logger('Jobs');
  private readonly sizes = shared(() => this.measure());

  constructor(
    private readonly metrics: Metrics,
    private readonly registry: JobRegistry,
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: JobRepository,
  ) {
    this.measured('jobs_due', 'Jobs in the database that are due and not claimed', 'due');
    this.measured('jobs_dead', 'Jobs that became dead within the last day', 'dead');
    this.measured(
      'job_oldest_due_seconds',
      'For how long the oldest due job has waited to be claimed',
      'oldestDueS',
    );
  }

  private measured(name: string, help: string, figure: 'due' | 'dead' | 'oldestDueS'): void {
    this.metrics.gauge(name, help, ['queue'], async (gauge) => {
      for (const size of await this.sizes()) gauge.set({ queue: size.queue }, size[figure]);
    });
  }

  /** Without a database the figures keep their last values, so that a scrape never fails. */
  private async measure(): Promise<readonly QueueSize[]> {
    const queues = this.registry.all().map(({ queue }) => queue);
    try {
      return await this.units.run('job.measure', (uow) =>
        uow.commitOne('job.measure', (tx) => this.jobs.queueSizes(tx, queues)),
      );
    } catch (error) {
      this.logger.debug(`the queues were not counted: ${describeError(error)}`);
      return [];
    }
  }
}
