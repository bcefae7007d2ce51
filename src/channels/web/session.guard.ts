import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { WebSessions } from '../../accounts';
import { ProblemError } from '../../common/http';
import { UnitsOfWork } from '../../common/uow';

export const SESSION_COOKIE = 'colloquy_session';

const CONVERSATIONS = new WeakMap<FastifyRequest, string>();

/** Lets a request through that carries a candidate's session, by header or by cookie. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly units: UnitsOfWork,
    private readonly sessions: WebSessions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = sessionTokenOf(request);
    const conversationId =
      token === undefined
        ? null
        : await this.units.run('session', (uow) =>
            uow.commit('session.resolve', (tx) => this.sessions.resolve(tx, token)),
          );
    if (conversationId === null) {
      throw new ProblemError(401, 'session_unknown', 'There is no such session.');
    }
    CONVERSATIONS.set(request, conversationId);
    return true;
  }
}

/** The conversation of the request's session. */
export const CurrentConversation = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const conversationId = CONVERSATIONS.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (conversationId === undefined) throw new Error('the route has no SessionGuard');
  return conversationId;
});

/** A header wins over a cookie: a program that sends one means it. */
export function sessionTokenOf(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  if (authorization?.startsWith('Bearer ') === true) return authorization.slice(7).trim();
  return request.cookies[SESSION_COOKIE];
}
