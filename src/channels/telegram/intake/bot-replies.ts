import { Injectable, Logger } from '@nestjs/common';
import { type Tx, UnitOfWorkFactory } from '../../../common/uow';
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
import { type Claim, Jobs } from '../../../jobs';
import { TelegramAccountRepository } from '../account.repository';
import { BlockHandler } from '../dialog/block-handler';
import { UnconfirmedReplies } from './dead-letters';

/**
 * The commits before and after the call of a bot reply. `afterSend` decides, as for a part of a
 * delivery, what follows:
 *
 *   sent, or refused (400)                deleted; a refusal is logged; the next one is sent
 *   blocked (403)                         all that wait for the chat are deleted
 *   401, 409, 429, nobody reached         it waits and is sent again
 *   5xx, or no response                   sent again within limits, then listed for a person
 */
@Injectable()
export class BotReplies {
  private readonly logger = new Logger('Telegram');

  constructor(
    private readonly replies: BotReplyRepository,
    private readonly unconfirmed: UnconfirmedReplies,
    private readonly accounts: TelegramAccountRepository,
    private readonly blocks: BlockHandler,
    private readonly limiter: ChannelLimiterRepository,
    private readonly jobs: Jobs,
  ) {}

  /** Stores that a send begins. The claim is fenced. */
  async take(tx: Tx, chatId: number): Promise<NextBotReply> {
    const reply = await this.replies.next(tx, chatId);
    if (reply === undefined) return { kind: 'nothing' };
    const chance = Math.random();
    if (reply.isBegun) {
      const next = afterSend(reply, { kind: 'unknown', isOurs: true }, chance);
      return { kind: 'interrupted', isGivenUp: await this.goOn(tx, reply, next, null) };
    }
    const state = await this.limiter.state(tx, CHANNEL);
    if (state.failureNo !== null) return { kind: 'outage', failureNo: state.failureNo };
    const waitMs = waitMsOf(state, reply, chance);
    if (waitMs > 0) return { kind: 'later', inMs: waitMs };
    await this.replies.begun(tx, reply.id);
    return { kind: 'reply', reply };
  }

  /** The Bot API has responded: the channel's breaker closes. */
  async recover(tx: Tx, failureNo: string): Promise<void> {
    await this.limiter.recover(tx, CHANNEL, failureNo);
  }

  /** Logs a refused call, outside the commit. */
  report(end: BotReplyOutcome): void {
    if (end.kind === 'refused')
      this.logger.warn(`Telegram refused a reply of the bot: ${end.error}`);
  }

  reportGivenUp(): void {
    this.logger.warn('a reply of the bot may not have arrived; it is in the attention list');
  }

  /** True: it is given up, because it is unknown whether it arrived. */
  async settle(
    tx: Tx,
    claim: Claim,
    reply: StoredBotReply,
    end: BotReplyOutcome,
  ): Promise<boolean> {
    const chatId = Number(claim.key);
    // Lock order: account before job.
    if (end.kind === 'blocked') await this.blocked(tx, chatId);
    await this.jobs.fence(tx, claim);
    if (end.kind === 'blocked') await this.replies.removeAll(tx, chatId);
    if (end.kind === 'failed') await this.replies.notSent(tx, reply.id);
    if (end.kind === 'blocked' || end.kind === 'failed') return false;
    if (end.kind === 'paused') await this.limiter.pause(tx, CHANNEL, end.forMs);
    const outageMs = isOutage(end) ? await this.limiter.fail(tx, CHANNEL) : null;
    return this.goOn(tx, reply, afterSend(reply, end, Math.random()), outageMs);
  }

  /**
   * `outageMs`: the channel's total outage time so far, to be set when the next pause must not run
   * during an outage; null: the pause runs on.
   */
  private async goOn(
    tx: Tx,
    reply: StoredBotReply,
    next: NextSend,
    outageMs: number | null,
  ): Promise<boolean> {
    switch (next.kind) {
      case 'again':
        await this.replies.again(tx, reply.id, { ...next, outageMs });
        return false;
      case 'unconfirmed':
        await this.unconfirmed.giveUp(tx, reply);
        return true;
      case 'sent':
      case 'dead':
      case 'blocked':
        await this.replies.remove(tx, reply.id);
        return false;
    }
  }

  private async blocked(tx: Tx, chatId: number): Promise<void> {
    const account = await this.accounts.lockKnown(tx, chatId);
    if (account !== null) await this.blocks.blocked({ tx, chatId, account });
  }
}

const CHANNEL = 'telegram';

/** The next reply to a chat, if one may be sent now. */
export type NextBotReply =
  | { readonly kind: 'reply'; readonly reply: StoredBotReply }
  /** A crash interrupted the send of a reply; its outcome is settled now. */
  | { readonly kind: 'interrupted'; readonly isGivenUp: boolean }
  /** The channel's breaker is open: the Bot API has to respond before anything is sent. */
  | { readonly kind: 'outage'; readonly failureNo: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'later'; readonly inMs: number };

/** How the call ended. `failed`: a bug prevented it, and nothing was sent. */
export type BotReplyOutcome = SendOutcome | { readonly kind: 'failed'; readonly error: unknown };

/** For tens of megabytes over a slow line, read from the database meanwhile. */
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
   * Streams the export: memory holds one page of it. Sends nothing about somebody who was erased
   * meanwhile. Throws BotApiError.
   */
  async send(chatId: number, candidateId: string, signal: AbortSignal): Promise<void> {
    const commit: PageCommit = (label, work) =>
      this.units.run('telegram.my_data', (uow) => uow.commit(label, work));
    try {
      const { language, fileName, pieces } = await this.personalData.exportOf(commit, candidateId);
      await this.api.upload(
        'sendDocument',
        { chat_id: String(chatId), caption: telegramTextsOf(language).myDataCaption },
        { field: 'document', name: fileName, mimeType: 'application/json', pieces },
        { signal, timeoutMs: TIMEOUT_MS },
      );
    } catch (error) {
      if (!(error instanceof CandidateUnknownError)) throw error;
    }
  }
}

/** Makes the Bot API call of one reply, once. */
@Injectable()
export class BotReplySender {
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
