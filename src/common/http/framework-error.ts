import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from './problem';

/** An address that cannot be decoded never reaches the filters; it is a problem document too. */
export function answerFrameworkError(
  error: { readonly statusCode?: number | undefined },
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const status = error.statusCode ?? 400;
  const problem: Problem = {
    type: 'about:blank',
    title: 'The address cannot be read.',
    status,
    code: status === 414 ? 'uri_too_long' : 'malformed_request',
  };
  void reply.code(status).header('content-type', 'application/problem+json').send(problem);
}
