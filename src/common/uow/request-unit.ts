import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestGoneError } from './errors';
import type { UnitOfWork } from './unit-of-work';
import type { UnitOfWorkFactory } from './units-of-work';

const OPENERS = new WeakMap<object, UnitOfWorkFactory>();
const UNITS = new WeakMap<FastifyRequest, UnitOfWork>();

/** Lets `@RequestUnit()` open units on requests of this server. */
export function provideRequestUnits(server: object, units: UnitOfWorkFactory): void {
  OPENERS.set(server, units);
}

/**
 * The request's unit of work, opened at first use and closed when the response has ended. For
 * plain endpoints only: a stream outlives its handler and opens its units in its own producer.
 */
export const RequestUnit = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const known = UNITS.get(request);
  if (known !== undefined) return known;
  const units = OPENERS.get(request.server);
  if (units === undefined) throw new Error('provideRequestUnits was not called for this server');
  const { raw } = http.getResponse<FastifyReply>();
  // Its `close` has been, and nothing would close the unit.
  if (raw.closed) throw new RequestGoneError('the client left before its request was begun');
  const unit = units.open(`http ${request.method} ${request.routeOptions.url ?? 'unknown'}`);
  UNITS.set(request, unit);
  raw.once('close', () => {
    unit.close();
  });
  return unit;
});
