import { ColloquyError, type ErrorFields } from '../errors';
import { applyDecorators } from '@nestjs/common';
import { ApiDefaultResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemCode } from './problem-codes';

/** A refusal that is meant for the client, with its HTTP status. */
export class ProblemError extends ColloquyError {
  readonly retryable: boolean;

  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    title: string,
    options: { fields?: ErrorFields; retryAfterS?: number } = {},
  ) {
    super(title, options.fields === undefined ? {} : { fields: options.fields });
    this.retryAfterS = options.retryAfterS ?? null;
    this.retryable = this.retryAfterS !== null;
  }

  readonly retryAfterS: number | null;
}

/** Problem details for HTTP APIs (RFC 9457). `code` is stable; `title` is for people. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  /** Of a probe: how each of its checks went. */
  readonly checks?: unknown;
}

const PROBLEM = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  required: ['type', 'title', 'status', 'code'],
  examples: [
    {
      type: 'about:blank',
      title: 'please read and accept the disclosure first',
      status: 409,
      code: 'consent_required',
    },
  ],
  properties: {
    type: { type: 'string' },
    title: { type: 'string', description: 'For people; may change' },
    status: { type: 'integer' },
    code: { type: 'string', description: 'For programs; stable' },
    detail: { type: 'string', description: 'Which fields, never their values' },
  },
};

/** Documents that every refusal of these endpoints is a problem document. */
export function ApiProblems(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    ApiDefaultResponse({
      description: 'Any refusal; 429 and 503 carry Retry-After',
      content: { 'application/problem+json': { schema: PROBLEM } },
    }),
  );
}

/** Responds with a problem document to an address that cannot be decoded: no filter sees it. */
export function respondToFrameworkError(
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

type Protocol = readonly [status: number, reason: string, code: ProblemCode, title: string];

const PROTOCOL_ERRORS: Readonly<Record<string, Protocol>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'Request Timeout',
    'request_timeout',
    'The request took too long to arrive.',
  ],
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'headers_too_large',
    'The headers are too large.',
  ],
};
const NOT_HTTP: Protocol = [400, 'Bad Request', 'malformed_request', 'The request cannot be read.'];

/** Responds with a problem document to bytes that are no request, and ends the connection. */
export function respondToProtocolError(error: Error, socket: Socket): void {
  const { code: cause = '' } = error as NodeJS.ErrnoException;
  if (socket.destroyed) return;
  if (cause === 'ECONNRESET') {
    // The client reset the connection, so it reads no response.
    socket.destroy();
    return;
  }
  if (socket.writable && !hasBegunResponse(socket)) {
    const [status, reason, code, title] = PROTOCOL_ERRORS[cause] ?? NOT_HTTP;
    const body = JSON.stringify({ type: 'about:blank', title, status, code } satisfies Problem);
    socket.write(
      `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\n` +
        `content-type: application/problem+json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }
  socket.destroy();
}

/** A second response on the connection would be unreadable. Node keeps the current one at the socket. */
function hasBegunResponse(socket: Socket & { readonly _httpMessage?: ServerResponse | null }) {
  return socket._httpMessage?.headersSent === true;
}
