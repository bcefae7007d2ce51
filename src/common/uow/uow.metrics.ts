import { Injectable, Logger } from '@nestjs/common';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../metrics';
import { sqlStateOf } from './errors';
import type { Label } from './labels';

const SLOW_COMMIT_MS = 1000;
const FOREIGN_KEY_VIOLATION = '23503';
const LOCK_NOT_AVAILABLE = '55P03';

/** Counts commits, units and their failures. */
@Injectable()
export class UnitOfWorkMetrics {
  private readonly logger = new Logger('UnitOfWork');
  private readonly commits: Counter<'label' | 'outcome'>;
  private readonly durations: Histogram<'label'>;
  private readonly poolWaits: Histogram;
  private readonly perUnit: Histogram<'unit'>;
  private readonly foreignKeyViolations: Counter<'label'>;
  private readonly lockTimeouts: Counter<'label'>;
  private open = 0;
  private committing = 0;

  constructor(metrics: Metrics) {
    this.commits = metrics.counter('uow_commits_total', 'Micro-commits by label and outcome', [
      'label',
      'outcome',
    ]);
    this.durations = metrics.histogram('uow_commit_seconds', 'Micro-commit duration', ['label']);
    this.poolWaits = metrics.histogram(
      'uow_pool_wait_seconds',
      'Wait of a micro-commit for its connection',
    );
    this.perUnit = metrics.histogram(
      'uow_commits_per_unit',
      'Micro-commits of one unit of work',
      ['unit'],
      [0, 1, 2, 3, 4, 5, 8, 13, 21],
    );
    // They change with every commit, so they are set only when they are read.
    metrics.gauge('uow_open_units', 'Units of work that are open now', [], (gauge: Gauge) => {
      gauge.set(this.open);
    });
    metrics.gauge(
      'uow_committing',
      'Units of work whose commit runs or waits for a connection',
      [],
      (gauge: Gauge) => {
        gauge.set(this.committing);
      },
    );
    this.foreignKeyViolations = metrics.counter(
      'uow_foreign_key_violations_total',
      'Commits refused by a foreign key',
      ['label'],
    );
    this.lockTimeouts = metrics.counter('uow_lock_timeouts_total', 'Lock waits that timed out', [
      'label',
    ]);
  }

  /** Units that are open now. */
  get openUnits(): number {
    return this.open;
  }

  /** Units whose commit runs or waits for a connection. */
  get committingUnits(): number {
    return this.committing;
  }

  opened(): void {
    this.open += 1;
  }

  closed(unit: Label, commits: number): void {
    this.open -= 1;
    this.perUnit.observe({ unit }, commits);
  }

  /** A commit of a unit has begun; `ended` follows it. */
  begun(): void {
    this.committing += 1;
  }

  ended(): void {
    this.committing -= 1;
  }

  /** A commit has got its connection after `waitMs`. */
  connected(waitMs: number): void {
    this.poolWaits.observe(waitMs / 1000);
  }

  committed(label: Label, durationMs: number): void {
    this.commits.inc({ label, outcome: 'committed' });
    this.observe(label, durationMs);
  }

  rolledBack(label: Label, durationMs: number): void {
    this.commits.inc({ label, outcome: 'rolled_back' });
    this.observe(label, durationMs);
  }

  /** One try of a commit failed; the commit may be tried again. */
  tryFailed(label: Label, error: unknown): void {
    const state = sqlStateOf(error);
    if (state === FOREIGN_KEY_VIOLATION) this.foreignKeyViolations.inc({ label });
    if (state === LOCK_NOT_AVAILABLE) this.lockTimeouts.inc({ label });
  }

  private observe(label: Label, durationMs: number): void {
    this.durations.observe({ label }, durationMs / 1000);
    if (durationMs >= SLOW_COMMIT_MS) {
      this.logger.warn(`commit "${label}" took ${Math.round(durationMs).toString()} ms`);
    }
  }
}
