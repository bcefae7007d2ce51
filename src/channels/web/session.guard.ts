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
import { bearerOf, SESSION_COOKIE } from './session-cookies';

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
    // A header wins over a cookie, also a wrong one: a program that sends one means it.
    const token = bearerOf(request) ?? request.cookies[SESSION_COOKIE];
    const conversationId = token === undefined ? null : await this.resolve(token);
    if (conversationId === null) {
      throw new ProblemError(401, 'session_unknown', 'There is no such session.');
    }
    CONVERSATIONS.set(request, conversationId);
    return true;
  }

  private resolve(token: string): Promise<string | null> {
    return this.units.run('session', (uow) =>
      uow.commit('session.resolve', (tx) => this.sessions.resolve(tx, token)),
    );
  }
}

/** The conversation of the request's session. */
export const CurrentConversation = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const conversationId = CONVERSATIONS.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (conversationId === undefined) throw new Error('the route has no SessionGuard');
  return conversationId;
});
