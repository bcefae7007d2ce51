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
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../common/config';
import { ADMIN_SECURITY, FailedAttempts, ProblemError } from '../common/http';
import { isSameSecret } from '../common/ids';
import { requestUnit } from '../common/uow';
import { type FoundKey, KeyLookup, isApiKey } from './keys/key-lookup';
import { KeyLimits } from './keys/key-limits';
import { type Principal, SCOPES, type Scope } from './rights';

/**
 * Lets in requests with a key that has the scope of the operation, or with a token of the settings, before
 * anything of the body is read. Without a token in the settings only keys are let in.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly tokens;

  constructor(
    settings: Settings,
    private readonly attempts: FailedAttempts,
    private readonly keys: KeyLookup,
    private readonly limits: KeyLimits,
    private readonly reflector: Reflector,
  ) {
    this.tokens = settings.admin.tokens;
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const principal = await this.principalOf(request, reply);
    this.limits.count(principal, reply);
    this.assertScope(principal, context, reply);
    PRINCIPALS.set(request, principal);
    return true;
  }

  /** Throws ProblemError: 401, 404 when the admin API is off, 429 after too many wrong secrets. */
  private async principalOf(request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
    const given = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (this.tokens.length === 0 && (given === undefined || !isApiKey(given))) {
      throw new ProblemError(
        404,
        'admin_api_off',
        'The admin API takes only API keys here: send one, or set ADMIN_TOKEN.',
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
      'Send an API key or the admin token as a bearer token.',
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

  private assertScope({ scopes }: Principal, context: ExecutionContext, reply: FastifyReply): void {
    const targets = [context.getHandler(), context.getClass()];
    const scope = this.reflector.getAllAndOverride<Scope | undefined>(SCOPE, targets);
    if (scope === undefined) throw new Error('the route has a AccessGuard and no @RequireScope');
    if (scopes.includes(scope)) return;
    // As RFC 6750 says it.
    void reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
    throw new ProblemError(403, 'scope_missing', `This key lacks the scope ${scope}.`);
  }
}

const BEARER = /^Bearer +(\S+)$/i;
const SCOPE = 'colloquy:scope';

const PRINCIPALS = new WeakMap<FastifyRequest, Principal>();

/**
 * Only keys with this scope, and tokens of the settings, may call the operation. The description of the API
 * names the scope, and a test tries every operation of it with every key. It stands at a class or at its methods,
 * not at both: the description would name two scopes, and each request would count twice.
 */
export function RequireScope(scope: Scope): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(SCOPE, scope),
    UseGuards(AccessGuard),
    ApiSecurity(ADMIN_SECURITY, [scope]),
  );
}

/** Who makes the request. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const principal = PRINCIPALS.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (principal === undefined) throw new Error('the route has no @RequireScope');
  return principal;
});
