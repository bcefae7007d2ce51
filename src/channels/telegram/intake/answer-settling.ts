import { Injectable, Logger } from '@nestjs/common';
import { Metrics } from '../../../common/metrics';
import type { Tx } from '../../../common/uow';
import {
  ChannelLimiterRepository,
  type NextSend,
  afterSend,
  isOutage,
  waitMsOf,
} from '../../../delivery';
import { type Claim, Jobs } from '../../../jobs';
import { TelegramAccountRepository } from '../accounts';
import { BlockHandler } from '../dialog/membership';
import type { BotReplyOutcome } from './answer-sending';
import { BotReplyRepository, type StoredBotReply } from './chat-answers';
import { UnconfirmedAnswers } from './unconfirmed-answers';

const CHANNEL = 'telegram';

/** The next answer of a chat, if one may be sent now. */
export type NextBotReply =
  | { readonly kind: 'answer'; readonly answer: StoredBotReply }
  /** The one that a crash left without an end has been settled. */
  | { readonly kind: 'found'; readonly isGivenUp: boolean }
  /** The channel's breaker is open: the Bot API has to respond before anything is sent. */
  | { readonly kind: 'outage'; readonly outageNo: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'later'; readonly inMs: number };

/**
 * What becomes of an answer before its call and after it: each one commit of the lane's flow. When
 * it is sent again, and how often, is decided as for a part of a delivery (`afterSend`).
 */
@Injectable()
export class BotReplies {
  private readonly logger = new Logger('Telegram');
  private readonly ended;

  constructor(
    private readonly answers: BotReplyRepository,
    private readonly unconfirmed: UnconfirmedAnswers,
    private readonly accounts: TelegramAccountRepository,
    private readonly membership: BlockHandler,
    private readonly limiter: ChannelLimiterRepository,
    private readonly tasks: Jobs,
    metrics: Metrics,
  ) {
    this.ended = metrics.counter(
      'telegram_answers_total',
      'Calls made in answer to updates, by how they ended',
      ['outcome'],
    );
  }

  /** Takes note of the send that follows. The claim is fenced. */
  async take(tx: Tx, chatId: number): Promise<NextBotReply> {
    const answer = await this.answers.next(tx, chatId);
    if (answer === undefined) return { kind: 'nothing' };
    const chance = Math.random();
    if (answer.isBegun) {
      const next = afterSend(answer, { kind: 'unknown', isOurs: true }, chance);
      return { kind: 'found', isGivenUp: await this.goOn(tx, answer, next, null) };
    }
    const state = await this.limiter.state(tx, CHANNEL);
    if (state.outageNo !== null) return { kind: 'outage', outageNo: state.outageNo };
    const waitMs = waitMsOf(state, answer, chance);
    if (waitMs > 0) return { kind: 'later', inMs: waitMs };
    await this.answers.begun(tx, answer.id);
    return { kind: 'answer', answer };
  }

  /** The Bot API has responded: the channel's breaker closes. */
  async recover(tx: Tx, outageNo: string): Promise<void> {
    await this.limiter.recover(tx, CHANNEL, outageNo);
  }

  /** After the call, outside the commit. */
  tell(end: BotReplyOutcome): void {
    this.ended.inc({ outcome: end.kind });
    if (end.kind === 'refused') this.logger.warn(`an answer was refused: ${end.error}`);
  }

  tellGivenUp(): void {
    this.ended.inc({ outcome: 'given_up' });
    this.logger.warn('a message of the bot may not have arrived, and is not sent again by itself');
  }

  /** True: it is given up, because nobody knows whether it arrived. */
  async settle(
    tx: Tx,
    claim: Claim,
    answer: StoredBotReply,
    end: BotReplyOutcome,
  ): Promise<boolean> {
    const chatId = Number(claim.key);
    // An account is locked before a task.
    if (end.kind === 'blocked') await this.blocked(tx, chatId);
    await this.tasks.fence(tx, claim);
    if (end.kind === 'blocked') await this.answers.removeAll(tx, chatId);
    if (end.kind === 'failed') await this.answers.notSent(tx, answer.id);
    if (end.kind === 'blocked' || end.kind === 'failed') return false;
    if (end.kind === 'paused') await this.limiter.pause(tx, CHANNEL, end.forMs);
    const outageMs = isOutage(end) ? await this.limiter.fail(tx, CHANNEL) : null;
    return this.goOn(tx, answer, afterSend(answer, end, Math.random()), outageMs);
  }

  /** `outageMs`: how long outages have lasted, if the next pause stands still in one. */
  private async goOn(
    tx: Tx,
    answer: StoredBotReply,
    next: NextSend,
    outageMs: number | null,
  ): Promise<boolean> {
    switch (next.kind) {
      case 'again':
        await this.answers.again(tx, answer.id, { ...next, outageMs });
        return false;
      case 'unconfirmed':
        await this.unconfirmed.giveUp(tx, answer);
        return true;
      case 'sent':
      case 'dead':
      case 'blocked':
        await this.answers.remove(tx, answer.id);
        return false;
    }
  }

  private async blocked(tx: Tx, chatId: number): Promise<void> {
    const account = await this.accounts.lockKnown(tx, chatId);
    if (account !== null) await this.membership.blocked({ tx, chatId, account });
  }
}
