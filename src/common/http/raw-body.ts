import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    rawBodyLimit?: number;
  }
}

/**
 * Of a handler whose caller signs what it sends: its body is a Buffer of exactly the bytes that
 * came, JSON or not, up to so many; more are 413. Nothing at all is `undefined`.
 */
export function RawBody(limitBytes: number): MethodDecorator {
  return RouteConfig({ rawBodyLimit: limitBytes });
}

/** Whether the route that a request came to wants its body as it is. */
export function wantsRawBody(request: FastifyRequest): boolean {
  return request.routeOptions.config.rawBodyLimit !== undefined;
}

/** To be called before there are routes. */
export function limitRawBodies(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    const limit = route.config?.rawBodyLimit;
    if (limit !== undefined) route.bodyLimit = limit;
  });
}
