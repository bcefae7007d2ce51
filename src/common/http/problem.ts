import { ColloquyError, type ErrorFields } from '../errors';
import {
  applyDecorators,
  Catch,
  HttpException,
  Logger,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { ApiDefaultResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ProblemCode, STORED_PROBLEMS } from './problem-codes';

/** A refusal that is meant for the client, with its HTTP status. */
export class ProblemError extends ColloquyError {
  readonly retryable: boolean;

  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    title: string,
    options: {
      fields?: ErrorFields;
      retryAfterS?: number;
      detail?: string;
      problems?: readonly PlacedProblem[];
      details?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(title, options.fields === undefined ? {} : { fields: options.fields });
    this.retryAfterS = options.retryAfterS ?? null;
    this.detail = options.detail ?? null;
    this.problems = options.problems ?? null;
    this.details = options.details ?? null;
    this.retryable = this.retryAfterS !== null;
  }

  readonly retryAfterS: number | null;
  /** Words for the person behind the client; without any text of theirs. */
  readonly detail: string | null;
  /** Everything that is wrong with a file, each with its place; null: it is about no file. */
  readonly problems: readonly PlacedProblem[] | null;
  /** What a client needs to go on, such as how somebody signs in. */
  readonly details: Readonly<Record<string, string>> | null;
}

/** What is wrong at one place of a file. */
export interface PlacedProblem {
  /** JSON Pointer (RFC 6901); empty: the whole file. */
  readonly pointer: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/** Problem details for HTTP APIs (RFC 9457). `code` is stable; `title` is for people. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  /** Of a file: all that is wrong with it. */
  readonly problems?: readonly PlacedProblem[];
  /** What a client needs to go on. */
  readonly details?: Readonly<Record<string, string>>;
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
    detail: {
      type: 'string',
      description: 'Which fields, never their values; or words for the candidate',
    },
    details: {
      type: 'object',
      description: 'What a client needs to go on',
      additionalProperties: { type: 'string' },
    },
    problems: {
      type: 'array',
      description: 'Of a file: all that is wrong with it, each with its place',
      items: {
        type: 'object',
        required: ['pointer', 'line', 'reason'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer (RFC 6901)' },
          line: { type: 'integer' },
          reason: { type: 'string' },
        },
      },
    },
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

/** Responds with a problem document to an address that cannot be decoded: no hook and no filter sees it. */
export function respondToFrameworkError(
  error: { readonly statusCode?: number | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  void reply.header('x-request-id', request.id);
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

/** What the errors of the lower layers mean in HTTP. A code that is not here is a bug: 500. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(STORED_PROBLEMS).map(([code, { status }]) => [code, status]),
);

/** For a body of a type that the operation does not take: says which it takes. */
export function mediaTypeRefused(request: FastifyRequest): ProblemError {
  const { rawBodyTypes = [] } = request.routeOptions.config;
  const title =
    rawBodyTypes.length === 0 ? 'Send JSON.' : `Send one of: ${rawBodyTypes.join(', ')}.`;
  return new ProblemError(415, 'unsupported_media_type', title);
}

/** The framework's refusals by status, with texts of ours, which are stable. */
const CODE_BY_STATUS: Readonly<Record<number, readonly [code: ProblemCode, title: string]>> = {
  400: ['malformed_request', 'The request cannot be read.'],
  401: ['session_unknown', 'There is no such session.'],
  403: ['forbidden', 'This is not allowed.'],
  404: ['not_found', 'There is nothing here.'],
  405: ['method_not_allowed', 'This method is not allowed here.'],
  406: ['not_acceptable', 'The server cannot respond in a format that the Accept header allows.'],
  408: ['request_timeout', 'The request took too long to arrive.'],
  413: ['body_too_large', 'The body is too large.'],
  414: ['uri_too_long', 'The address is too long.'],
  422: ['invalid_body', 'The body does not have the expected form.'],
  429: ['too_many_requests', 'Too many requests; try again later.'],
  431: ['headers_too_large', 'The headers are too large.'],
  503: ['unavailable', 'This is not available now; try again later.'],
};
/** Any other refusal of the client's request. */
const REFUSED = CODE_BY_STATUS[400];

const RETRY_AFTER_S = 2;

/** Turns every error into problem details. Internal texts stay in the log. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    // Not an HTTP request but a handler of another channel, whose caller must learn that it failed.
    if (host.getType() !== 'http') throw error;
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const request = http.getRequest<FastifyRequest>();
    if (reply.sent || reply.raw.headersSent) {
      this.logAfterBegin(error, request);
      return;
    }
    const problem = this.problemOf(error, request);
    if (problem.code === 'request_gone') {
      this.logger.log(`${routeOf(request)}: the client closed the connection`);
    }
    const retryAfterS = retryAfterOf(error, problem.status);
    if (retryAfterS !== null) void reply.header('retry-after', String(retryAfterS));
    void reply
      .code(problem.status)
      .header('content-type', 'application/problem+json')
      .send(problem);
  }

  /** A response that has begun cannot become a problem document. */
  private logAfterBegin(error: unknown, request: FastifyRequest): void {
    // The client left, so nobody misses the rest of the response.
    if (request.raw.socket.destroyed) return;
    this.logger.error(
      `${routeOf(request)} failed after its response had begun; the client got no problem document`,
      error,
    );
  }

  private problemOf(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof ProblemError) {
      const { detail, problems, details } = error;
      return {
        ...problem(error.status, error.code, error.message),
        ...(detail === null ? {} : { detail }),
        ...(problems === null ? {} : { problems }),
        ...(details === null ? {} : { details }),
      };
    }
    if (error instanceof ColloquyError) {
      const status = STATUS_BY_CODE[error.code];
      if (status !== undefined) return problem(status, error.code, error.message);
    }
    const status = statusOf(error);
    if (status === 415) return this.problemOf(mediaTypeRefused(request), request);
    const known = CODE_BY_STATUS[status] ?? (status >= 400 && status < 500 ? REFUSED : undefined);
    if (known !== undefined) return { ...problem(status, ...known), ...extensionOf(error) };
    this.logger.error(`${routeOf(request)} failed`, error);
    return problem(500, 'internal', 'Something went wrong on our side.');
  }
}

/** The route's pattern, because an address may hold a token. */
function routeOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions.url ?? 'unknown route'}`;
}

function problem(status: number, code: string, title: string): Problem {
  return { type: 'about:blank', title, status, code };
}

/** HttpException, and errors of the HTTP server itself, which carry `statusCode`. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error === 'object' && error !== null && 'statusCode' in error) {
    const { statusCode } = error;
    if (typeof statusCode === 'number') return statusCode;
  }
  return 500;
}

/** For a body of the wrong form: which fields, without their values. For a probe: which checks. */
function extensionOf(error: unknown): Pick<Problem, 'detail' | 'checks'> {
  if (error instanceof InvalidBodyError) return { detail: error.fieldsText };
  if (!(error instanceof HttpException)) return {};
  const response = error.getResponse();
  return typeof response === 'object' && 'details' in response ? { checks: response.details } : {};
}

function retryAfterOf(error: unknown, status: number): number | null {
  if (error instanceof ProblemError && error.retryAfterS !== null) return error.retryAfterS;
  const given = error instanceof ColloquyError ? error.fields['retryAfterS'] : undefined;
  if (typeof given === 'number') return given;
  return status === 503 ? RETRY_AFTER_S : null;
}

/** A body that does not match its schema; `fieldsText` names what is wrong, never a value. */
export class InvalidBodyError extends HttpException {
  constructor(readonly fieldsText: string) {
    super(fieldsText, 422);
  }
}
