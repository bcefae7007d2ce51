import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../common/errors';
import { Metrics, shared } from '../common/metrics';
import { UnitOfWorkFactory } from '../common/uow';
import { DatabaseRepository, type ServerState } from './database.repository';

/**
 * The pool of this process and the state of the PostgreSQL server, read at each scrape. Every replica
 * shows the same figures of the server.
 */
@Injectable()
export class DatabaseMetrics {
  private readonly logger = new Logger('Database');
  private readonly state = shared(() => this.measure());

  constructor(
    private readonly metrics: Metrics,
    private readonly units: UnitOfWorkFactory,
    private readonly database: DatabaseRepository,
  ) {
    metrics.gauge(
      'pool_connections',
      'Connections of the pool of this process: used, idle',
      ['state'],
      (gauge) => {
        const { used, idle } = database.poolState();
        gauge.set({ state: 'used' }, used);
        gauge.set({ state: 'idle' }, idle);
      },
    );
    metrics.gauge(
      'pool_waiting',
      'Commits of this process that wait for a connection',
      [],
      (gauge) => {
        gauge.set(database.poolState().waiting);
      },
    );
    this.measured(
      'postgres_connections',
      'Connections to the database, of every client',
      'connections',
    );
    this.measured(
      'postgres_max_connections',
      'Connections that the server accepts',
      'maxConnections',
    );
    this.measured(
      'postgres_oldest_transaction_seconds',
      'Age of the oldest open transaction; an old one keeps dead rows',
      'oldestTransactionS',
    );
    this.measured('postgres_lock_waits', 'Sessions that wait for a lock', 'lockWaits');
    this.measured('postgres_deadlocks', 'Deadlocks since the statistics were reset', 'deadlocks');
    this.measured('postgres_dead_rows', 'Rows that autovacuum has to remove', 'deadRows');
    this.measured('postgres_size_bytes', 'Size of the database', 'sizeBytes');
  }

  private measured(name: string, help: string, figure: keyof ServerState): void {
    this.metrics.gauge(name, help, [], async (gauge) => {
      const state = await this.state();
      if (state !== undefined) gauge.set(state[figure]);
    });
  }

  /** Without a database the figures keep their last values, so that a scrape never fails. */
  private async measure(): Promise<ServerState | undefined> {
    try {
      return await this.units.run('health.measure', (uow) =>
        uow.commitOne('health.measure', (tx) => this.database.serverState(tx)),
      );
    } catch (error) {
      this.logger.debug(`the state of the server was not read: ${describeError(error)}`);
      return undefined;
    }
  }
}
