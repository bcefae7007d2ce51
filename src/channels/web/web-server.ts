import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import fastifyStatic from '@fastify/static';
import { HttpException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { existsSync } from 'node:fs';
import type { Settings } from '../../common/config';

const ONE_YEAR_S = 31_536_000;
const UNLIMITED = /^\/(health|metrics)(\/|$)/;

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  frameAncestors: ["'none'"],
  // Over plain http with a host name it would turn every address into https: a blank page.
  upgradeInsecureRequests: null,
};

/** What every response of the HTTP server passes: cookies, headers, limits, the page's files. */
export async function registerWebServer(
  server: FastifyInstance,
  options: { readonly settings: Settings; readonly pageDirectory: string },
): Promise<void> {
  const { http } = options.settings;
  await server.register(cookie);
  await server.register(helmet, {
    contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY },
    crossOriginEmbedderPolicy: false,
    // Behind TLS or not is the operator's to know; a wrong HSTS locks a host name out for a year.
    strictTransportSecurity: http.publicUrl.startsWith('https:') ? { maxAge: ONE_YEAR_S } : false,
  });
  await server.register(rateLimit, {
    max: http.rateLimitPerMinute,
    timeWindow: 60_000,
    allowList: (request: FastifyRequest) => UNLIMITED.test(request.url),
    errorResponseBuilder: () => new HttpException('too many requests', 429),
  });
  if (!existsSync(options.pageDirectory)) return;
  await server.register(fastifyStatic, {
    root: options.pageDirectory,
    prefix: '/',
    wildcard: false,
    index: false,
    setHeaders: (response, file) => {
      const isHashed = file.includes('/assets/');
      const value = isHashed ? `public, max-age=${ONE_YEAR_S}, immutable` : 'no-cache';
      void response.header('cache-control', value);
    },
  });
}
