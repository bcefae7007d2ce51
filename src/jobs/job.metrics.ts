import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Metrics } from '../common/metrics';
import { type BreakerState, QueueBreakers } from './breakers';
import { HeldJobs } from './held-jobs';
import { JobRegistry } from './job-registry';
import type { LaneName } from './job';

type ByLane = Counter<'lane'>;

const BREAKER_VALUE: Record<BreakerState, number> = { closed: 0, half_open: 1, open: 2 };

/** Counts claims and how they end; reads held claims and breakers at each scrape. */
@Injectable()
export class JobMetrics {
  private readonly claims: Counter<'lane' | 'kind'>;
  private readonly lateness: Histogram<'lane'>;
  private readonly completions: ByLane;
  private readonly failures: ByLane;
  private readonly givenBack: ByLane;
  private readonly deaths: ByLane;
  private readonly losses: ByLane;

  constructor(
    private readonly metrics: Metrics,
    registry: JobRegistry,
    held: HeldJobs,
    breakers: QueueBreakers,
  ) {
    this.claims = metrics.counter('task_claims_total', 'Claims', ['lane', 'kind']);
    this.lateness = metrics.histogram(
      'task_claim_lateness_seconds',
      'First claim of a task minus its due time',
      ['lane'],
    );
    this.completions = this.perLane('task_completions_total', 'Tasks done');
    this.failures = this.perLane('task_failures_total', 'Own failures of tasks');
    this.givenBack = this.perLane('task_given_back_total', 'Claims given back for their peer');
    this.deaths = this.perLane('task_deaths_total', 'Tasks that became dead');
    this.losses = this.perLane('task_leases_lost_total', 'Leases lost to another claim');
    metrics.gauge('task_held', 'Claims whose flow runs here', ['lane'], (gauge) => {
      for (const { lane } of registry.all()) gauge.set({ lane }, held.count(lane));
    });
    metrics.gauge('task_breaker', '0 closed, 1 half open, 2 open', ['lane'], (gauge) => {
      for (const { lane } of registry.all()) {
        gauge.set({ lane }, BREAKER_VALUE[breakers.state(lane)]);
      }
    });
  }

  claimed(lane: LaneName, options: { takenOver: boolean; firstLatenessMs: number | null }): void {
    this.claims.inc({ lane, kind: options.takenOver ? 'takeover' : 'ready' });
    if (options.firstLatenessMs === null) return;
    this.lateness.observe({ lane }, Math.max(0, options.firstLatenessMs / 1000));
  }

  completed(lane: LaneName): void {
    this.completions.inc({ lane });
  }

  failed(lane: LaneName): void {
    this.failures.inc({ lane });
  }

  gaveBack(lane: LaneName): void {
    this.givenBack.inc({ lane });
  }

  died(lane: LaneName): void {
    this.deaths.inc({ lane });
  }

  lost(lane: LaneName): void {
    this.losses.inc({ lane });
  }

  /** `ageMs` is asked at each scrape. */
  showTickAge(ageMs: () => number): void {
    this.metrics.gauge('task_last_tick_age_seconds', 'Since the last whole pass', [], (gauge) => {
      gauge.set(ageMs() / 1000);
    });
  }

  private perLane(name: string, help: string): ByLane {
    return this.metrics.counter(name, help, ['lane']);
  }
}
