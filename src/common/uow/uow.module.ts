import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { serverOf } from '../http';
import { UnitOfWorkFactory, provideRequestUnits } from './unit-of-work.factory';
import { UnitOfWorkMetrics } from './uow.metrics';

const SINGLETONS = [UnitOfWorkFactory, UnitOfWorkMetrics];

/**
 * Units of work. What is provided, and with which scope:
 *
 *   UnitOfWorkFactory, UnitOfWorkMetrics   one for the process, injected everywhere
 *   UnitOfWork                             one for each HTTP request, opened at first use by `requestUnit`
 *                                          or `@RequestUnit()`; one for each stream, job and delivery,
 *                                          opened where the flow is produced; never injected
 *   QueryRunner                            one for each micro-commit: leased from the pool at its begin,
 *                                          released at its end
 *
 * A unit is scoped to its request, and its provider is not: Nest's `Scope.REQUEST` would make every class
 * that uses a unit anew for each request (ADR 1). Expects global Clock, DataSource and Metrics.
 */
@Global()
@Module({ providers: SINGLETONS, exports: SINGLETONS })
export class UowModule implements OnModuleInit {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server = serverOf(this.host);
    if (server !== null) provideRequestUnits(server, this.units);
  }
}
