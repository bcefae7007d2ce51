import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../common/uow';

/** The connections of this process's pool. */
export interface PoolState {
  readonly used: number;
  readonly idle: number;
  /** Commits that wait for one. */
  readonly waiting: number;
}

/** What PostgreSQL says about itself and this database. */
export interface ServerState {
  /** To this database, of every client. */
  readonly connections: number;
  readonly maxConnections: number;
  readonly oldestTransactionS: number;
  readonly lockWaits: number;
  /** Since the statistics were reset. */
  readonly deadlocks: number;
  readonly deadRows: number;
  readonly sizeBytes: number;
}

/** As much of a pool of `pg` as is read here. */
interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Reads the state of the pool and of the server. It reads no table of Colloquy. */
@Injectable()
export class DatabaseRepository {
  constructor(private readonly dataSource: DataSource) {}

  poolState(): PoolState {
    const { master } = this.dataSource.driver as unknown as { master: Pool };
    const { totalCount, idleCount: idle, waitingCount: waiting } = master;
    return { used: totalCount - idle, idle, waiting };
  }

  async serverState(tx: Tx): Promise<ServerState | undefined> {
    const rows = await tx.query<ServerState>(`
      select a.connections, a."oldestTransactionS", a."lockWaits",
        current_setting('max_connections')::int as "maxConnections",
        d.deadlocks::float8 as deadlocks, t."deadRows",
        pg_database_size(d.datname)::float8 as "sizeBytes"
      from pg_stat_database d,
        (select count(*)::int as connections,
           coalesce(max(extract(epoch from now() - xact_start))
             filter (where pid <> pg_backend_pid()), 0)::float8 as "oldestTransactionS",
           count(*) filter (where wait_event_type = 'Lock')::int as "lockWaits"
         from pg_stat_activity where datname = current_database()) a,
        (select coalesce(sum(n_dead_tup), 0)::float8 as "deadRows" from pg_stat_user_tables) t
      where d.datname = current_database()`);
    return rows[0];
  }
}
