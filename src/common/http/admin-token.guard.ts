import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Settings } from '../config';
import { FailedAttempts } from './failed-attempts';
import { ProblemError } from './problem';

const BEARER = /^Bearer +(\S+)$/i;
const GUARDED = 'admin API';

const NAMES = new WeakMap<FastifyRequest, string>();

/** Lets through whoever holds an admin token. Without one the admin API does not exist. */
@Injectable()
export class AdminTokenGuard implements CanActivate {
  private readonly tokens: readonly { readonly name: string; readonly digest: Buffer }[];

  constructor(
    settings: Settings,
    private readonly attempts: FailedAttempts,
  ) {
    this.tokens = settings.admin.tokens.map(({ name, token }) => ({ name, digest: digest(token) }));
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
      'This needs the admin token as a bearer.',
    );
    // Without a token nobody has guessed anything.
    throw given === undefined ? problem : this.attempts.failed(GUARDED, request.ip, problem);
  }

  /** Whose token it is; null: nobody's. Throws ProblemError after too many wrong ones. */
  private nameOf(given: string, address: string): string | null {
    this.attempts.assertAllowed(GUARDED, address);
    const shown = digest(given);
    // All of them and by digests: the time taken tells neither which, nor a length, nor a beginning.
    const matching = this.tokens.filter((token) => timingSafeEqual(shown, token.digest));
    const name = matching[0]?.name ?? null;
    if (name !== null) this.attempts.succeeded(GUARDED, address);
    return name;
  }
}

/** The name of the token that a request was made with. */
export const AdminName = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const name = NAMES.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (name === undefined) throw new Error('the route has no AdminTokenGuard');
  return name;
});

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
