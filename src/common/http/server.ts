import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/** The HTTP server of this process; null in a command, which has none. */
export function serverOf({ httpAdapter }: HttpAdapterHost): FastifyInstance | null {
  const adapter = httpAdapter as FastifyAdapter | null;
  return adapter === null ? null : adapter.getInstance();
}
