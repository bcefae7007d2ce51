import {
  Catch,
  HttpException,
  Logger,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ColloquyError } from '../errors';
import { type Problem, ProblemError } from './problem';
import { type ProblemCode, STORED_PROBLEMS } from './problem-codes';

/** What the errors of the lower layers mean in HTTP. A code that is not here is a bug: 500. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(STORED_PROBLEMS).map(([code, { status }]) => [code, status]),
);

/** The framework's refusals by status, with texts of ours, which are stable. */
const CODE_BY_STATUS: Readonly<Record<number, readonly [code: ProblemCode, title: string]>> = {
  400: ['malformed_request', 'The request cannot be read.'],
  401: ['session_unknown', 'There is no such session.'],
  403: ['forbidden', 'This is not allowed.'],
  404: ['not_found', 'There is nothing here.'],
  405: ['method_not_allowed', 'This method is not allowed here.'],
  406: ['not_acceptable', 'This form cannot be answered.'],
  408: ['request_timeout', 'The request took too long to arrive.'],
  413: ['body_too_large', 'The body is too large.'],
  414: ['uri_too_long', 'The address is too long.'],
  415: ['unsupported_media_type', 'Send JSON.'],
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
    if (reply.sent || reply.raw.headersSent) return;
    const request = http.getRequest<FastifyRequest>();
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

  private problemOf(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof ProblemError) return problem(error.status, error.code, error.message);
    if (error instanceof ColloquyError) {
      const status = STATUS_BY_CODE[error.code];
      if (status !== undefined) return problem(status, error.code, error.message);
    }
    const status = statusOf(error);
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
  return status === 503 ? RETRY_AFTER_S : null;
}

/** A body that does not match its schema; `fieldsText` names what is wrong, never a value. */
export class InvalidBodyError extends HttpException {
  constructor(readonly fieldsText: string) {
    super(fieldsText, 422);
  }
}
