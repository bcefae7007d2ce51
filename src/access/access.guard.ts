import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../common/config';
import { ADMIN_SECURITY, FailedAttempts, ProblemError, TEAM_SECURITY } from '../common/http';
import { identifyCaller } from '../common/idempotency';
import { isSameSecret } from '../common/ids';
import { requestUnit } from '../common/uow';
import { type FoundKey, KeyLookup, isApiKey } from './keys/key-lookup';
import { KeyLimits } from './keys/key-limits';
import { type Principal, SCOPES, type Scope, isPersonal } from './rights';
import { type FoundSession, UserSessionLookup } from './users/session-lookup';
import { TeamCookie } from './users/team-cookie';

/** What an operation asks of whoever calls it. */
interface Needs {
  /** `user`: a colleague who has signed in, with any role. */
  readonly scope: Scope | 'user';
  /** The password was shown lately. Only of users. */
  readonly confirmation: boolean;
}

/** Who makes a request; `session`: of a user. */
interface Caller {
  readonly principal: Principal;
  readonly session: FoundSession | null;
}

/**
 * Lets in requests with a key or a role that has the scope of the operation, or with a token of the settings,
 * before anything of the body is read. A bearer, also a wrong one, goes before a cookie: only a program sends
 * one, on purpose.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly tokens;

  constructor(
    settings: Settings,
    private readonly attempts: FailedAttempts,
    private readonly keys: KeyLookup,
    private readonly sessions: UserSessionLookup,
    private readonly cookie: TeamCookie,
    private readonly limits: KeyLimits,
    private readonly reflector: Reflector,
  ) {
    this.tokens = settings.admin.tokens;
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const needs = this.needsOf(context);
    const caller = await this.callerOf(request, reply, needs);
    this.limits.count(caller.principal, reply);
    assertAllowed(caller.principal, needs, reply);
    if (needs.confirmation) await this.assertConfirmed(caller, request, reply);
    CALLERS.set(request, caller);
    return true;
  }

  private needsOf(context: ExecutionContext): Needs {
    const targets = [context.getHandler(), context.getClass()];
    const scope = this.reflector.getAllAndOverride<Needs['scope'] | undefined>(SCOPE, targets);
    if (scope === undefined) throw new Error('the route has an AccessGuard and no @RequireScope');
    const confirmation = this.reflector.getAllAndOverride<true | undefined>(CONFIRMATION, targets);
    return { scope, confirmation: confirmation === true };
  }

  /** Throws ProblemError: 401, 403, 429 after too many wrong secrets. */
  private async callerOf(
    request: FastifyRequest,
    reply: FastifyReply,
    needs: Needs,
  ): Promise<Caller> {
    const { authorization = '' } = request.headers;
    // Another scheme is that of a proxy, whose password browsers send with each request.
    if (IS_BEARER.test(authorization)) {
      const given = BEARER.exec(authorization)?.[1];
      return { principal: await this.bearerOf(given, request, reply), session: null };
    }
    const token = this.cookie.tokenOf(request);
    if (token !== undefined) {
      const session = await this.sessions.find(token, () => requestUnit(request, reply));
      if (session === null) throw signInNeeded();
      identifyCaller(request, token);
      return { principal: session.principal, session };
    }
    if (needs.scope === 'user') throw signInNeeded();
    return { principal: await this.bearerOf(undefined, request, reply), session: null };
  }

  /** Undefined: none was sent, or of another kind. */
  private async bearerOf(
    given: string | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Principal> {
    // Keys and people are let in without ADMIN_TOKEN; only a token that is no key cannot be right.
    if (this.tokens.length === 0 && given !== undefined && !isApiKey(given)) {
      void reply.header('www-authenticate', 'Bearer');
      throw new ProblemError(
        401,
        'admin_api_off',
        'This is no API key, and no admin token is set here: send a key as a bearer token, or set ADMIN_TOKEN.',
      );
    }
    // Apart, so that a network with a key of its own may not try admin tokens without a limit.
    const guarded = given !== undefined && isApiKey(given) ? 'API keys' : 'admin API';
    if (given !== undefined) this.attempts.assertAllowed(guarded, request.ip);
    const found = given === undefined ? null : await this.find(given, request, reply);
    if (found?.state === 'live') {
      this.attempts.succeeded(guarded, request.ip);
      return found.principal;
    }
    void reply.header('www-authenticate', 'Bearer');
    if (found?.state === 'revoked') {
      throw new ProblemError(401, 'key_revoked', 'This key is revoked.');
    }
    if (found?.state === 'expired') {
      throw new ProblemError(401, 'key_expired', 'This key has ended by its date.');
    }
    const wrong = new ProblemError(
      401,
      'admin_token_wrong',
      'Sign in, or send an API key or the admin token as a bearer token.',
    );
    // A request without a token is no attempt to guess one.
    throw found === null ? wrong : this.attempts.failed(guarded, request.ip, wrong);
  }

  private find(given: string, request: FastifyRequest, reply: FastifyReply): Promise<FoundKey> {
    // Compares all tokens, so that the time taken tells nothing about any of them.
    const [token] = this.tokens.filter(({ token }) => isSameSecret(given, token));
    if (token === undefined) return this.keys.find(given, () => requestUnit(request, reply));
    const principal = {
      keyId: null,
      userId: null,
      actor: token.name,
      scopes: SCOPES,
      vacancyIds: null,
    };
    return Promise.resolve({ state: 'live', principal });
  }

  /** Keys and tokens pass: a program has no password. */
  private async assertConfirmed(
    { session }: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (session === null || this.sessions.isConfirmed(session)) return;
    // What is remembered may be of before the password was shown, at another replica.
    const token = this.cookie.tokenOf(request) ?? '';
    const unit = () => requestUnit(request, reply);
    const fresh = await this.sessions.find(token, unit, { isFresh: true });
    if (fresh === null) throw signInNeeded();
    if (this.sessions.isConfirmed(fresh)) return;
    throw new ProblemError(403, 'password_needed', 'This needs your password again.', {
      details: { method: fresh.method },
    });
  }
}

/** Throws ProblemError (403). */
function assertAllowed({ scopes, userId }: Principal, { scope }: Needs, reply: FastifyReply): void {
  if (scope === 'user') {
    if (userId !== null) return;
    throw new ProblemError(403, 'user_needed', 'This is for people who have signed in.');
  }
  // Whatever the row of a key says, a key is no person.
  const mayHave = userId !== null || !isPersonal(scope);
  if (mayHave && scopes.includes(scope)) return;
  if (userId !== null) {
    throw new ProblemError(403, 'scope_missing', `Your role lacks the scope ${scope}.`);
  }
  // As RFC 6750 says it.
  void reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
  throw new ProblemError(403, 'scope_missing', `This key lacks the scope ${scope}.`);
}

/** For a request without a session, or with one that has ended. */
export function signInNeeded(): ProblemError {
  return new ProblemError(401, 'sign_in_needed', 'Nobody is signed in, or the session has ended.');
}

const IS_BEARER = /^Bearer\b/i;
const BEARER = /^Bearer +(\S+)$/i;
const SCOPE = 'colloquy:scope';
const CONFIRMATION = 'colloquy:confirmation';

const CALLERS = new WeakMap<FastifyRequest, Caller>();

/**
 * Only keys and users with this scope, and tokens of the settings, may call the operation. The description of the
 * API names the scope, and a test tries every operation of it with every key and every role. It stands at a class
 * or at its methods, not at both: the description would name two scopes, and each request would count twice.
 */
export function RequireScope(scope: Scope): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(SCOPE, scope),
    UseGuards(AccessGuard),
    ...(isPersonal(scope) ? [] : [ApiSecurity(ADMIN_SECURITY, [scope])]),
    ApiSecurity(TEAM_SECURITY, [scope]),
  );
}

/** Only somebody who has signed in may call the operation, with any role. Like RequireScope otherwise. */
export function RequireUser(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(SCOPE, 'user'),
    UseGuards(AccessGuard),
    ApiSecurity(TEAM_SECURITY),
  );
}

/** A user must have shown the password in the last ten minutes. Stands beside RequireScope or RequireUser. */
export function RequireConfirmation(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(CONFIRMATION, true),
    ApiExtension('x-colloquy-confirmation', true),
  );
}

/** Who makes the request. */
export const CurrentPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext) => callerIn(context).principal,
);

/** The session of the request's user: its id, and whose it is. */
export interface OwnSession {
  readonly id: string;
  readonly userId: string;
  /** As the audit names the user. */
  readonly actor: string;
}

/** For operations with RequireUser. */
export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): OwnSession => {
    const { session, principal } = callerIn(context);
    if (session === null || principal.userId === null) {
      throw new Error('the route has no @RequireUser');
    }
    return { id: session.sessionId, userId: principal.userId, actor: principal.actor };
  },
);

function callerIn(context: ExecutionContext): Caller {
  const caller = CALLERS.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (caller === undefined) throw new Error('the route has no @RequireScope');
  return caller;
}
