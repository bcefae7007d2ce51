import { type ExecutionContext, Injectable, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { Clock } from '../clock';
import { RequestGoneError, UnitOfWorkBusyError } from './errors';
import { Semaphore } from './semaphore';
import { currentCommitLabel } from './transaction';
import { UnitOfWork } from './unit-of-work';
import { UnitOfWorkMetrics } from './uow.metrics';
import type { Label } from './labels';

/** Connections of the pool that jobs do not use, so that hundreds of them do not delay a page. */
const KEPT_FOR_REQUESTS = 2;

/**
 * Opens units of work. Only this class runs statements on the DataSource; the metrics of the pool read
 * its state. Open a unit where the flow is produced (the stream's producer, the job's runner), never
 * in a handler that returns before its stream ends.
 */
@Injectable()
export class UnitOfWorkFactory {
  /** The connections that jobs may use at a time. */
  private readonly forJobs: Semaphore;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly metrics: UnitOfWorkMetrics,
  ) {
    const { poolSize = 1 } = dataSource.options as { readonly poolSize?: number };
    this.forJobs = new Semaphore(Math.max(1, poolSize - KEPT_FOR_REQUESTS));
  }

  /** Units of this process that are open: every request, stream and job under way has one. */
  get openUnits(): number {
    return this.metrics.openUnits;
  }

  /** Units of this process whose commit runs or waits for a connection; no other unit holds one. */
  get committing(): number {
    return this.metrics.committingUnits;
  }

  /** Commits of jobs that wait for a connection. */
  get waitingForJobs(): number {
    return this.forJobs.waiting;
  }

  /** A new unit; close it when the flow ends. */
  open(label: Label): UnitOfWork {
    return this.openWith(label, null);
  }

  /**
   * The same for a job: its commits wait for other jobs, and leave two connections to requests (one,
   * if there are only two).
   */
  openForJob(label: Label): UnitOfWork {
    return this.openWith(label, this.forJobs);
  }

  /** Opens a unit for `flow`, and closes it also when the flow throws. */
  async run<T>(label: Label, flow: (uow: UnitOfWork) => Promise<T>): Promise<T> {
    const uow = this.open(label);
    try {
      return await flow(uow);
    } finally {
      uow.close();
    }
  }

  private openWith(label: Label, connections: Semaphore | null): UnitOfWork {
    const outer = currentCommitLabel();
    if (outer !== undefined) {
      throw new UnitOfWorkBusyError(`unit "${label}" was opened inside the commit "${outer}"`);
    }
    this.metrics.opened();
    return new UnitOfWork(label, {
      dataSource: this.dataSource,
      connections,
      clock: this.clock,
      metrics: this.metrics,
      random: Math.random,
    });
  }
}

const FACTORIES = new WeakMap<object, UnitOfWorkFactory>();
const UNITS = new WeakMap<object, UnitOfWork>();

/** Lets `requestUnit` and `@RequestUnit()` open units on requests of this server. */
export function provideRequestUnits(server: object, units: UnitOfWorkFactory): void {
  FACTORIES.set(server, units);
}

/**
 * The one unit of work of an HTTP request: opened at first use (often by a guard), closed when the
 * connection of its response closes. `/events` closes it early (`closeRequestUnit`) and opens one for
 * the stream; `/api/chat` keeps it to the end of the reply. Throws RequestGoneError when the client
 * has left already.
 */
export function requestUnit(request: FastifyRequest, response: { raw: Response }): UnitOfWork {
  const known = UNITS.get(request);
  if (known !== undefined) return known;
  const { raw } = response;
  // `close` has been emitted: nothing would close the unit.
  if (raw.closed) throw new RequestGoneError('the client left before its request was begun');
  const unit = openFor(request);
  raw.once('close', () => {
    unit.close();
  });
  return unit;
}

/**
 * The same for a webhook: the unit closes when `handle` has settled. What a webhook brings is handled to
 * its end even if its client has left, because the client only sends it again.
 */
export async function withRequestUnit<T>(
  request: FastifyRequest,
  handle: (uow: UnitOfWork) => Promise<T>,
): Promise<T> {
  const unit = openFor(request);
  try {
    return await handle(unit);
  } finally {
    unit.close();
  }
}

function openFor(request: FastifyRequest): UnitOfWork {
  const units = FACTORIES.get(request.server);
  if (units === undefined) throw new Error('provideRequestUnits was not called for this server');
  const unit = units.open(`http ${request.method} ${request.routeOptions.url ?? 'unknown'}`);
  UNITS.set(request, unit);
  return unit;
}

/** Closes the request's unit before its response closes; without a unit it does nothing. */
export function closeRequestUnit(request: FastifyRequest): void {
  UNITS.get(request)?.close();
}

/** As much of a Node response as closes the unit. */
interface Response {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** `requestUnit` as a parameter of a controller's method. */
export const RequestUnit = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return requestUnit(http.getRequest<FastifyRequest>(), http.getResponse<{ raw: Response }>());
});
