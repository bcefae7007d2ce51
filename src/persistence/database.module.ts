import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Drain } from '../common/lifecycle';
import { ControlConnection } from './control-connection';
import { SignalConnection } from './signal-connection';

/** What a process opens before its modules. */
export interface Connections {
  readonly dataSource: DataSource;
  readonly control: ControlConnection;
  readonly signals: SignalConnection;
  /** Ends them; null in a command, which neither claims nor listens and ends its pool itself. */
  readonly release: (() => Promise<void>) | null;
}

const CONNECTIONS = Symbol('Connections');

/**
 * The connections to PostgreSQL. What is provided, each once for the process:
 *
 *   DataSource          the pool. Only units of work lease from it, one QueryRunner for each micro-commit
 *                       (`common/uow`): nothing else runs statements on it
 *   ControlConnection   claims and heartbeats of jobs, outside the pool, so that a full pool ends no lease
 *   SignalConnection    LISTEN and NOTIFY, hints outside every transaction
 *
 * They are opened before the modules and released in the drain's last phase. Expects a global Drain.
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
  ) {}

  onModuleInit(): void {
    const { release } = this.connections;
    if (release !== null) this.drain.register('connections', 'database', release);
  }

  /** Every listener has registered by now. */
  onApplicationBootstrap(): void {
    if (this.connections.release !== null) this.connections.signals.open();
  }
}
