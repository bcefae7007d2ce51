import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Clock, settledWithin } from '../common/clock';
import { Settings } from '../common/config';
import { PeerHealth } from '../common/lifecycle';
import { DatabaseReadOnlyError, type UnitOfWork } from '../common/uow';
import { JobWorker } from '../jobs';
import { OldSchemaError, type SchemaState, readSchemaState } from '../persistence';

/** A job worker that has missed this many polls, and has not polled for at least this long, is down. */
const SILENT_POLLS = 20;
const SILENT_MS = 5000;
/** A probe that takes longer responds "down": Kubernetes must get a response in time. */
const DATABASE_MS = 1500;

/** Null: the database did not respond in time. */
type Schema = SchemaState | 'read-only' | null;

type Check = () => HealthIndicatorResult | Promise<HealthIndicatorResult>;

/**
 * What the probes check. Database, migrations and job worker make a replica unready; peers are shown
 * and do not. Each trouble is a sentence that says what is wrong and what to do; docs/probes.md has
 * them all.
 */
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
    const schema = this.schemaState(uow);
    return [async () => this.database(await schema), async () => this.migrations(await schema)];
  }

  /** The checks of a process that gets traffic. */
  ready(uow: UnitOfWork): Check[] {
    const peers = this.peers.all().map(
      ({ peer, trouble }) =>
        () =>
          this.degradedBy(peer, trouble),
    );
    return [...this.startup(uow), () => this.workers(), ...peers];
  }

  private async schemaState(uow: UnitOfWork): Promise<Schema> {
    const reading = readSchemaState(uow).catch((error: unknown) =>
      error instanceof DatabaseReadOnlyError ? 'read-only' : null,
    );
    return (await settledWithin(this.clock, DATABASE_MS, reading)) ?? null;
  }

  private database(schema: Schema): HealthIndicatorResult {
    const check = this.indicators.check('database');
    if (schema === 'read-only') {
      return check.down(
        'The database takes no writes, because it is a standby now or default_transaction_read_only is on: ' +
          'lead DATABASE_URL to the primary, or set it off; stored answers are handled when it takes writes',
      );
    }
    if (schema !== null) return check.up();
    return check.down(
      `The database did not respond within ${DATABASE_MS / 1000} s, or no pooled connection was free: ` +
        'check that PostgreSQL runs, can be reached and is not overloaded; stored answers are handled when it is back',
    );
  }

  private migrations(schema: Schema): HealthIndicatorResult {
    const check = this.indicators.check('migrations');
    if (schema === null) return check.down('Unknown while the database cannot be reached');
    if (schema === 'read-only') return check.down('Unknown while the database takes no writes');
    const { missing, newer, isOld } = schema;
    if (isOld) return check.down(new OldSchemaError().message);
    if (missing.length > 0) {
      return check.down(
        `The database lacks ${plural(missing.length, 'migration')} of this version, perhaps because ` +
          'an older backup was restored: restart this replica, which migrates the database first',
      );
    }
    // Replicas of the old version go on serving while a deploy replaces them one after the other.
    return this.degradedBy(
      'migrations',
      newer.length === 0
        ? null
        : `The database has ${plural(newer.length, 'migration')} of a newer version: finish its ` +
            'deploy, because this version does not start again on this database',
    );
  }

  private workers(): HealthIndicatorResult {
    const check = this.indicators.check('workers');
    const lastTickAgeMs = Math.round(this.worker.lastTickAgeMs());
    const isSilent = lastTickAgeMs > Math.max(this.settings.jobs.pollMs * SILENT_POLLS, SILENT_MS);
    if (!isSilent) return check.up({ lastTickAgeMs });
    const message =
      `The job worker has finished no pass for ${Math.round(lastTickAgeMs / 1000)} s: check the ` +
      'database and the CPU of this replica, and restart it if that lasts; other replicas take its answers over';
    return check.down({ lastTickAgeMs, message });
  }

  /** Up also with a trouble: an outage of one peer must not take everything else offline. */
  private degradedBy(name: string, trouble: string | null): HealthIndicatorResult {
    const check = this.indicators.check(name);
    return trouble === null
      ? check.up({ condition: 'ok' })
      : check.up({ condition: 'degraded', trouble });
  }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
