import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Clock } from '../common/clock';
import { Drain } from '../common/lifecycle';
import { RunMode } from '../common/run-mode';
import { ControlConnection } from './control-connection';
import { type PoolOptions, createDataSource } from './data-source';
import { SignalConnection } from './signal-connection';

const CONNECTIONS = Symbol('Connections');

/**
 * The connections to PostgreSQL. What is provided, each once for the process:
 *
 *   DataSource          the pool. Only units of work lease from it, one QueryRunner for each micro-commit
 *                       (`common/uow`): nothing else runs statements on it
 *   ControlConnection   claims and heartbeats of jobs, outside the pool, so that a full pool ends no lease
 *   SignalConnection    LISTEN and NOTIFY, hints outside every transaction
 *
 * They are opened before the modules and released in the drain's last phase. Expects a global Drain and RunMode.
 */
@Global()
@Module({})
export class DatabaseModule implements OnModuleInit, OnApplicationBootstrap {
  static on(connections: Connections): DynamicModule {
    const providers = [
      { provide: CONNECTIONS, useValue: connections },
      { provide: DataSource, useValue: connections.dataSource },
      { provide: ControlConnection, useValue: connections.control },
      { provide: SignalConnection, useValue: connections.signals },
    ];
    const exports = [DataSource, ControlConnection, SignalConnection];
    return { module: DatabaseModule, providers, exports };
  }

  constructor(
    @Inject(CONNECTIONS) private readonly connections: Connections,
    private readonly drain: Drain,
    private readonly mode: RunMode,
  ) {}

  onModuleInit(): void {
    this.drain.register('connections', 'database', this.connections.release);
  }

  /** Every listener has registered by now. */
  onApplicationBootstrap(): void {
    if (this.mode.isServing) this.connections.signals.open();
  }
}

/** What a process opens before its modules. */
export interface Connections {
  readonly dataSource: DataSource;
  readonly control: ControlConnection;
  readonly signals: SignalConnection;
  /** Ends them. */
  readonly release: () => Promise<void>;
}

/** Opens the pool. The other two connect when they are used first, which a command never does. */
export async function openConnections(
  pool: PoolOptions,
  clock: Clock,
  signalsUrl = pool.url,
): Promise<Connections> {
  const dataSource = createDataSource(pool);
  await dataSource.initialize();
  const control = new ControlConnection(pool.url, clock);
  const signals = new SignalConnection(signalsUrl, clock);
  const release = async (): Promise<void> => {
    await control.close();
    await signals.close();
    await dataSource.destroy();
  };
  return { dataSource, control, signals, release };
}
