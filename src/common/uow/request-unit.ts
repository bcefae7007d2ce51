import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequestGoneError } from './errors';
import type { UnitOfWork } from './unit-of-work';
import type { UnitOfWorkFactory } from './unit-of-work.factory';

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
  const units = FACTORIES.get(request.server);
  if (units === undefined) throw new Error('provideRequestUnits was not called for this server');
  const { raw } = response;
  // `close` has been emitted: nothing would close the unit.
  if (raw.closed) throw new RequestGoneError('the client left before its request was begun');
  const unit = units.open(`http ${request.method} ${request.routeOptions.url ?? 'unknown'}`);
  UNITS.set(request, unit);
  raw.once('close', () => {
    unit.close();
  });
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
