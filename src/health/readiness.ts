import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { PeerHealth } from '../common/lifecycle';
import type { UnitOfWork } from '../common/uow';
import { JobWorker } from '../jobs';
import { countMissingMigrations } from '../persistence';

/** A job worker that has not polled for so many polls, and for at least this long, is down. */
const SILENT_POLLS = 20;
const SILENT_MS = 5000;
/** A probe that takes longer is answered "down": Kubernetes must get a response in time. */
const DATABASE_MS = 1500;

type Check = () => HealthIndicatorResult | Promise<HealthIndicatorResult>;

/** What the probes check: the database, the job worker and the peers. */
@Injectable()
export class Readiness {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly worker: JobWorker,
    private readonly peers: PeerHealth,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** The checks of a started process. */
  startup(uow: UnitOfWork): Check[] {
    return [() => this.database(uow)];
  }

  /** The checks of a process that gets traffic. */
  ready(uow: UnitOfWork): Check[] {
    const peers = this.peers.all().map(
      ({ peer, trouble }) =>
        () =>
          this.peer(peer, trouble),
    );
    return [() => this.database(uow), () => this.workers(), ...peers];
  }

  private async database(uow: UnitOfWork): Promise<HealthIndicatorResult> {
    const check = this.indicators.check('database');
    const missing = await this.missingMigrations(uow);
    if (missing === 0) return check.up();
    return check.down(
      missing === null ? 'it does not answer' : `${missing} migrations are missing`,
    );
  }

  /** Null when the database does not respond in time. */
  private async missingMigrations(uow: UnitOfWork): Promise<number | null> {
    const settled = new AbortController();
    const counting = uow.commitOne('health.check', countMissingMigrations).catch(() => null);
    const timeout = this.clock.sleep(DATABASE_MS, settled.signal).then(() => null);
    const missing = await Promise.race([counting, timeout]);
    settled.abort();
    return missing;
  }

  private workers(): HealthIndicatorResult {
    const check = this.indicators.check('workers');
    const ageMs = Math.round(this.worker.lastTickAgeMs());
    const isSilent = ageMs > Math.max(this.settings.jobs.pollMs * SILENT_POLLS, SILENT_MS);
    return isSilent ? check.down({ lastTickAgeMs: ageMs }) : check.up({ lastTickAgeMs: ageMs });
  }

  /** Up also when the peer fails: an outage of one channel must not take the others offline. */
  private peer(peer: string, trouble: string | null): HealthIndicatorResult {
    const check = this.indicators.check(peer);
    return trouble === null
      ? check.up({ condition: 'ok' })
      : check.up({ condition: 'degraded', trouble });
  }
}
