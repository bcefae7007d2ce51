import { Injectable, Logger } from '@nestjs/common';
import {
  AttentionNotReplayableError,
  EventBus,
  OnEvent,
  type PayloadOf,
} from '../../../common/events';
import { UnitOfWorkFactory, type Tx } from '../../../common/uow';
import { CandidateUnknownError, type PageCommit, PersonalDataService } from '../../../privacy';
import { BotApi } from '../api/bot-api';
import { telegramTextsOf } from '../texts/texts';
import {
  ChannelLimiterRepository,
  type NextSend,
  afterSend,
  isOutage,
  waitMsOf,
} from '../../../delivery';
import type { SendOutcome } from '../../../channels';
import { BotApiError, outcomeOf } from '../api/bot-api-errors';
import { type BotCall, BotReplyRepository, type StoredBotReply } from './bot-reply.repository';
import { Jobs, type Claim } from '../../../jobs';
import { Metrics } from '../../../common/metrics';
import { TelegramAccountRepository } from '../account.repository';
import { BlockHandler } from '../dialog/update-router';

/** Tens of megabytes, over a slow line, read from the database meanwhile. */
const TIMEOUT_MS = 120_000;

/** Everything that is stored about a person, as a file in their chat. */
@Injectable()
export class MyData {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly personalData: PersonalDataService,
    private readonly api: BotApi,
  ) {}

  /**
   * Sends the export as it is read: memory holds a page of it. Throws BotApiError. Nothing is sent
   * about somebody who was erased meanwhile.
   */
  async send(chatId: number, candidateId: string, signal: AbortSignal): Promise<void> {
    const commit: PageCommit = (label, work) =>
      this.units.run('my data', (uow) => uow.commit(label, work));
    try {
      const { language, pieces } = await this.personalData.exportOf(commit, candidateId);
      await this.api.upload(
        'sendDocument',
        { chat_id: String(chatId), caption: telegramTextsOf(language).myDataCaption },
        { field: 'document', name: 'my-data.json', mimeType: 'application/json', pieces },
        { signal, timeoutMs: TIMEOUT_MS },
      );
    } catch (error) {
      if (!(error instanceof CandidateUnknownError)) throw error;
    }
  }
}

/** How the call ended; `failed`: it could not be made, by a bug, and nothing was sent. */
export type BotReplyOutcome = SendOutcome | { readonly kind: 'failed'; readonly error: unknown };

/** Makes the call of one answer, once. */
@Injectable()
export class AnswerSending {
  constructor(
    private readonly api: BotApi,
    private readonly myData: MyData,
  ) {}

  async send(chatId: number, call: BotCall, signal: AbortSignal): Promise<BotReplyOutcome> {
    try {
      await this.make(chatId, call, signal);
      return { kind: 'sent', externalId: '' };
    } catch (error) {
      if (error instanceof BotApiError) return outcomeOf(error, signal.aborted);
      return { kind: 'failed', error };
    }
  }

  responds(): Promise<boolean> {
    return this.api.responds();
  }

  private async make(chatId: number, call: BotCall, signal: AbortSignal): Promise<void> {
    switch (call.method) {
      case 'sendMyData':
        return this.myData.send(chatId, call.params.candidateId, signal);
      case 'sendMessage':
        await this.api.call(call.method, call.params, { signal });
        return;
      case 'answerCallbackQuery':
        await this.api.call(call.method, call.params, { signal });
        return;
      case 'editMessageReplyMarkup':
        await this.api.call(call.method, call.params, { signal });
        return;
      case 'leaveChat':
        await this.api.call(call.method, call.params, { signal });
        return;
    }
  }
}

/** Of an item of the attention list; behind it, the id of the answer. */
const SUBJECT = 'telegram-answer:';

/**
 * A message of the bot that may not have arrived, the disclosure for example: its sends are used
 * up. It is kept and goes to a person, who can send it again.
 */
@Injectable()
export class UnconfirmedAnswers {
  constructor(
    private readonly answers: BotReplyRepository,
    private readonly events: EventBus,
    private readonly jobs: Jobs,
  ) {}

  /** Takes it out of its chat's way. The queue's job is fenced. */
  async giveUp(tx: Tx, { id, call }: StoredBotReply): Promise<void> {
    if (!isRead(call)) return this.answers.remove(tx, id);
    const conversationId = await this.answers.giveUp(tx, id);
    await this.events.publish(tx, 'attention.needed', {
      kind: 'unknown',
      subject: `${SUBJECT}${id}`,
      conversationId,
      reason: 'Telegram never said whether it took a message of the bot; replay sends it again',
    });
  }

  @OnEvent('attention.replayed', { topic: 'telegram-answer' })
  async onReplayed(tx: Tx, { subject }: PayloadOf<'attention.replayed'>): Promise<void> {
    const chatId = await this.answers.revive(tx, subject.slice(SUBJECT.length));
    if (chatId === null) {
      throw new AttentionNotReplayableError('this cannot be sent again: the message is gone');
    }
    await this.jobs.enqueue(tx, { queue: 'intake', key: chatId, dueInMs: 0 });
  }
}

/** What the person reads; everything else is of no use later. */
function isRead({ method }: BotCall): boolean {
  return method === 'sendMessage' || method === 'sendMyData';
}

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
 * What becomes of an answer before its call and after it: each one commit of the queue's flow. When
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
    private readonly jobs: Jobs,
    metrics: Metrics,
  ) {
    this.ended = metrics.counter(
      'telegram_bot_replies_total',
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

  /** True: it is given up, because it is unknown whether it arrived. */
  async settle(
    tx: Tx,
    claim: Claim,
    answer: StoredBotReply,
    end: BotReplyOutcome,
  ): Promise<boolean> {
    const chatId = Number(claim.key);
    // An account is locked before a job.
    if (end.kind === 'blocked') await this.blocked(tx, chatId);
    await this.jobs.fence(tx, claim);
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
