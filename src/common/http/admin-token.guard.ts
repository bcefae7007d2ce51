import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../config';
import { isSameSecret } from '../ids';
import { FailedAttempts } from './failed-attempts';
import { ProblemError } from './problem';

/** Lets in requests with an admin token. Without a token in the settings the admin API is off. */
@Injectable()
export class AdminTokenGuard implements CanActivate {
  private readonly tokens;

  constructor(
    settings: Settings,
    private readonly attempts: FailedAttempts,
  ) {
    this.tokens = settings.admin.tokens;
  }

  canActivate(context: ExecutionContext): true {
    if (this.tokens.length === 0) {
      throw new ProblemError(404, 'admin_api_off', 'The admin API is off: set ADMIN_TOKEN.');
    }
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const given = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const name = given === undefined ? null : this.nameOf(given, request.ip);
    if (name !== null) {
      NAMES.set(request, name);
      return true;
    }
    void http.getResponse<FastifyReply>().header('www-authenticate', 'Bearer');
    const problem = new ProblemError(
      401,
      'admin_token_wrong',
      'Send the admin token as a bearer token.',
    );
    // A request without a token is no attempt to guess one.
    throw given === undefined ? problem : this.attempts.failed(GUARDED, request.ip, problem);
  }

  /** The name of the token; null: it is wrong. Throws ProblemError after too many wrong ones. */
  private nameOf(given: string, address: string): string | null {
    this.attempts.assertAllowed(GUARDED, address);
    // Compares all tokens, so that the time taken tells nothing about any of them.
    const matching = this.tokens.filter(({ token }) => isSameSecret(given, token));
    const name = matching[0]?.name ?? null;
    if (name !== null) this.attempts.succeeded(GUARDED, address);
    return name;
  }
}

const BEARER = /^Bearer +(\S+)$/i;
const GUARDED = 'admin API';

const NAMES = new WeakMap<FastifyRequest, string>();

/** The name of the token that a request was made with. */
export const AdminName = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const name = NAMES.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (name === undefined) throw new Error('the route has no AdminTokenGuard');
  return name;
});

/** Name of the tokens of candidates in the description of the API (POST /api/v1/sessions). */
export const SESSION_SECURITY = 'session';
/** The same of the hiring team's tokens (ADMIN_TOKEN). */
export const ADMIN_SECURITY = 'admin';
