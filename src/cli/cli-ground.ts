import { Global, Module, type Type } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { PeerHealth } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { UnitOfWorkFactory } from '../common/uow';
import { ControlConnection } from '../persistence';
import type { CliContext } from './cli-context';

/** What modules of the application expect to be given, from a command. */
export function groundModule(cli: CliContext): Type {
  const providers = [
    { provide: Clock, useValue: cli.clock },
    { provide: Settings, useValue: cli.settings },
    { provide: Metrics, useValue: cli.metrics },
    { provide: UnitOfWorkFactory, useValue: cli.units },
    { provide: PeerHealth, useValue: new PeerHealth() },
    // Nothing is claimed, so it never connects.
    { provide: ControlConnection, useValue: new ControlConnection(cli.databaseUrl, cli.clock) },
  ];

  @Global()
  @Module({ providers, exports: providers.map(({ provide }) => provide) })
  class CoreModule {}
  return CoreModule;
}
