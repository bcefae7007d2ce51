import { Injectable, Logger } from '@nestjs/common';
import { Metrics } from '../../../common/metrics';
import type { Tx } from '../../../common/uow';
import { ChannelLimiter } from '../../../delivery';
import { type Claim, Tasks } from '../../../tasks';
import { TelegramAccounts } from '../accounts';
import { Membership } from '../dialog/membership';
import type { AnswerEnd } from './answer-sending';
import { ChatAnswers, type StoredAnswer } from './chat-answers';

/** Nobody knows whether it arrived: once more, and not a third time. */
const MAX_SENDS = 2;
const RETRY_MS = 1000;
const CHANNEL = 'telegram';

/** The next answer of a chat, if one may be sent now. */
export type NextAnswer =
  | { readonly kind: 'answer'; readonly answer: StoredAnswer }
  /** One that was begun twice, and nobody knows how either ended. */
  | { readonly kind: 'given_up' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'later'; readonly inMs: number };

/** What becomes of an answer before its call and after it: each one commit of the lane's flow. */
@Injectable()
export class AnswerSettling {
  private readonly logger = new Logger('Telegram');
  private readonly ended;

  constructor(
    private readonly answers: ChatAnswers,
    private readonly accounts: TelegramAccounts,
    private readonly membership: Membership,
    private readonly limiter: ChannelLimiter,
    private readonly tasks: Tasks,
    metrics: Metrics,
  ) {
    this.ended = metrics.counter(
      'telegram_answers_total',
      'Calls made in answer to updates, by how they ended',
      ['outcome'],
    );
  }

  /** Takes note of the send that follows. The claim is fenced. */
  async take(tx: Tx, chatId: number): Promise<NextAnswer> {
    const answer = await this.answers.next(tx, chatId);
    if (answer === undefined) return { kind: 'nothing' };
    const pausedForMs = await this.limiter.pausedForMs(tx, CHANNEL);
    if (pausedForMs > 0) return { kind: 'later', inMs: pausedForMs };
    if (answer.tries >= MAX_SENDS) {
      await this.answers.remove(tx, answer.id);
      return { kind: 'given_up' };
    }
    await this.answers.begun(tx, answer.id);
    return { kind: 'answer', answer };
  }

  /** After the call, outside the commit. */
  tell(end: AnswerEnd | { readonly kind: 'given_up' }): void {
    this.ended.inc({ outcome: end.kind });
    if (end.kind === 'refused') this.logger.warn(`an answer was refused: ${String(end.code)}`);
    if (end.kind === 'given_up') this.logger.warn('an answer may not have arrived: sent twice');
  }

  /** Null: the chat's next answer may follow; else for how long none does. */
  async settle(
    tx: Tx,
    claim: Claim,
    { id, tries }: StoredAnswer,
    end: AnswerEnd,
  ): Promise<number | null> {
    // An account is locked before a task.
    if (end.kind === 'blocked') await this.blocked(tx, Number(claim.key));
    await this.tasks.fence(tx, claim);
    switch (end.kind) {
      case 'sent':
      case 'refused':
        await this.answers.remove(tx, id);
        return null;
      case 'blocked':
        await this.answers.removeAll(tx, Number(claim.key));
        return null;
      case 'paused':
        await this.answers.notSent(tx, id);
        await this.limiter.pause(tx, CHANNEL, end.forMs);
        return end.forMs;
      case 'away':
      case 'failed':
        await this.answers.notSent(tx, id);
        return null;
      case 'unknown':
        return tries + 1 < MAX_SENDS ? RETRY_MS : null;
    }
  }

  private async blocked(tx: Tx, chatId: number): Promise<void> {
    const account = await this.accounts.lockKnown(tx, chatId);
    if (account !== null) await this.membership.blocked({ tx, chatId, account });
  }
}
