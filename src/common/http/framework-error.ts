import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from './problem';

/** An address that cannot be decoded never reaches the filters; it is a problem document too. */
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

type Protocol = readonly [status: number, reason: string, code: string, title: string];

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

/** A connection whose bytes are no request never becomes one; it gets a problem document and ends. */
export function respondToProtocolError(error: Error, socket: Socket): void {
  const { code: cause = '' } = error as NodeJS.ErrnoException;
  if (socket.destroyed) return;
  if (cause === 'ECONNRESET') {
    // Whoever reset the connection reads no response.
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

/** Two responses at once would be taken for garbage. Node keeps the current one at the socket. */
function hasBegunResponse(socket: Socket & { readonly _httpMessage?: ServerResponse | null }) {
  return socket._httpMessage?.headersSent === true;
}
