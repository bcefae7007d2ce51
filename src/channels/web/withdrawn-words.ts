import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, from, type Observable } from 'rxjs';
import { ConversationClosedError } from '../../buffer';
import { ProblemError } from '../../common/http';
import { requestUnit } from '../../common/uow';
import { ConversationViews } from '../../interview';
import { conversationIn } from './session-access';

/**
 * A candidate who writes after they have withdrawn is refused with 409 `conversation_closed`. The problem's
 * `detail` has the words for them: that the interview has ended, how to reach a person, and what is kept for
 * how long.
 */
@Injectable()
export class WithdrawnWords implements NestInterceptor {
  constructor(private readonly views: ConversationViews) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(catchError((error: unknown) => from(this.explain(context, error))));
  }

  private async explain(context: ExecutionContext, error: unknown): Promise<never> {
    if (!(error instanceof ConversationClosedError)) throw error;
    const http = context.switchToHttp();
    const uow = requestUnit(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    const words = await uow.commit('conversation.closed', (tx) =>
      this.views.afterWithdrawal(tx, conversationIn(context), { isStored: false }),
    );
    if (words === null) throw error;
    throw new ProblemError(409, 'conversation_closed', error.message, { detail: words });
  }
}
