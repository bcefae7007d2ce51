import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../../common/http';
import { SessionCookies } from './session-cookies';
import { SessionLookup } from './session-lookup';

interface ShownSession {
  readonly token: string;
  readonly conversationId: string;
}

const SESSIONS = new WeakMap<FastifyRequest, ShownSession>();

/**
 * Lets a request through that carries a candidate's session, by header or by cookie. It runs before
 * the body is read, and asks the database only about a token that could be one.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionLookup,
    private readonly cookies: SessionCookies,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = this.cookies.sessionOf(request);
    const conversationId = token === undefined ? null : await this.sessions.conversationOf(token);
    if (token === undefined || conversationId === null) {
      throw new ProblemError(401, 'session_unknown', 'There is no such session.');
    }
    SESSIONS.set(request, { token, conversationId });
    return true;
  }
}

/** The conversation of the request's session. */
export const CurrentConversation = createParamDecorator(
  (_: unknown, context: ExecutionContext) => shownIn(context).conversationId,
);

/** The request's session itself: what its cookie or its header says. */
export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext) => shownIn(context).token,
);

function shownIn(context: ExecutionContext): ShownSession {
  const session = SESSIONS.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (session === undefined) throw new Error('the route has no SessionGuard');
  return session;
}
