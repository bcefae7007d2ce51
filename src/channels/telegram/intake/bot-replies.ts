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
import { Metrics } from '../../../common/metrics';
import { TelegramAccountRepository } from '../account.repository';
import { BlockHandler } from '../dialog/update-router';
import {
  AttentionNotReplayableError,
  EventBus,
  OnEvent,
  type PayloadOf,
} from '../../../common/events';
import { INTAKE_QUEUE, UpdateRepository } from './update.repository';

/** Subject of an attention item; the id of the bot's reply follows. Public, so the name stays. */
const REPLY_SUBJECT = 'telegram-reply:';
const MESSAGE_DELETED = 'this cannot be replayed, because the message was deleted; close the item';

/**
 * A reply of the bot, such as the disclosure, that may not have arrived although all its sends are
 * used up. It is stored, and a person can send it again from the attention list.
 */
@Injectable()
export class UnconfirmedReplies {
  constructor(
    private readonly replies: BotReplyRepository,
    private readonly events: EventBus,
    private readonly jobs: Jobs,
  ) {}

  /** Takes it out of its chat's queue. The job is fenced. */
  async giveUp(tx: Tx, { id, call }: StoredBotReply): Promise<void> {
    if (!isRead(call)) return this.replies.remove(tx, id);
    const conversationId = await this.replies.giveUp(tx, id);
    await this.events.publish(tx, 'attention.needed', {
      kind: 'unknown',
      subject: `${REPLY_SUBJECT}${id}`,
      conversationId,
      reason: 'it is unknown whether Telegram received a message of the bot; replay sends it again',
    });
  }

  @OnEvent('attention.replayed', { topic: 'telegram-reply' })
  async onReplayed(tx: Tx, { subject }: PayloadOf<'attention.replayed'>): Promise<void> {
    const chatId = await this.replies.revive(tx, subject.slice(REPLY_SUBJECT.length));
    if (chatId === null) {
      throw new AttentionNotReplayableError(MESSAGE_DELETED);
    }
    await this.jobs.enqueue(tx, { queue: INTAKE_QUEUE, key: chatId, dueInMs: 0 });
  }
}

/** Whether the person reads it; other calls are of no use later. */
function isRead({ method }: BotCall): boolean {
  return method === 'sendMessage' || method === 'sendMyData';
}

/** Subject of an attention item; the ids of the bot and the update follow. */
const UPDATE_SUBJECT = 'telegram-update:';

/**
 * An update that could not be handled after all its tries. It is stored unchanged and shown to a
 * person. A replay puts it back in front of what its chat has sent since.
 */
@Injectable()
export class DeadUpdates {
  constructor(
    private readonly inbox: UpdateRepository,
    private readonly replies: BotReplyRepository,
    private readonly events: EventBus,
    private readonly jobs: Jobs,
  ) {}

  /** Removes what a chat's job failed on from the chat's queue; false: there is nothing. */
  async remove(tx: Tx, chatId: number, jobId: string): Promise<boolean> {
    const [update] = await this.inbox.nextWaiting(tx, chatId, 1);
    if (update !== undefined) {
      const { updateId, botId } = update;
      const conversationId = await this.inbox.giveUp(tx, { chatId, updateId });
      await this.events.publish(tx, 'attention.needed', {
        kind: 'dead',
        subject: `${UPDATE_SUBJECT}${botId}:${updateId}`,
        conversationId,
        jobId,
        reason:
          'a message from Telegram could not be handled; it is stored unchanged, and a replay handles it again',
      });
      return true;
    }
    const reply = await this.replies.next(tx, chatId);
    if (reply === undefined) return false;
    const conversationId = await this.replies.giveUp(tx, reply.id);
    await this.replies.remove(tx, reply.id);
    // It names no job, because a replay of the job would not send the reply.
    await this.events.publish(tx, 'attention.needed', {
      kind: 'dead',
      subject: `job:${jobId}`,
      conversationId,
      reason: `a reply on Telegram (${reply.call.method}) could not be sent and was dropped; close the item`,
    });
    return true;
  }

  @OnEvent('attention.replayed', { topic: 'telegram-update' })
  async onReplayed(tx: Tx, { subject }: PayloadOf<'attention.replayed'>): Promise<void> {
    const [botId = '', updateId = ''] = subject.slice(UPDATE_SUBJECT.length).split(':');
    const chatId = await this.inbox.revive(tx, { botId, updateId });
    if (chatId === null) {
      throw new AttentionNotReplayableError(MESSAGE_DELETED);
    }
    await this.jobs.enqueue(tx, { queue: INTAKE_QUEUE, key: chatId, dueInMs: 0 });
  }
}

/** The providers that replay an item where no bot runs: in commands. */
export const telegramReplays = [
  BotReplyRepository,
  UpdateRepository,
  DeadUpdates,
  UnconfirmedReplies,
];

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

/** How the call ended. `failed`: a bug prevented it, and nothing was sent. */
export type BotReplyOutcome = SendOutcome | { readonly kind: 'failed'; readonly error: unknown };

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

/**
 * The commits before and after the call of a bot reply. `afterSend` decides, as for a part of a
 * delivery, when and how often it is sent again.
 */
@Injectable()
export class BotReplies {
  private readonly logger = new Logger('Telegram');
  private readonly ended;

  constructor(
    private readonly replies: BotReplyRepository,
    private readonly unconfirmed: UnconfirmedReplies,
    private readonly accounts: TelegramAccountRepository,
    private readonly blocks: BlockHandler,
    private readonly limiter: ChannelLimiterRepository,
    private readonly jobs: Jobs,
    metrics: Metrics,
  ) {
    this.ended = metrics.counter(
      'telegram_bot_replies_total',
      'Bot replies to updates by how they ended',
      ['outcome'],
    );
  }

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

  /** Counts the end of a call, outside the commit. */
  count(end: BotReplyOutcome): void {
    this.ended.inc({ outcome: end.kind });
    if (end.kind === 'refused')
      this.logger.warn(`Telegram refused a reply of the bot: ${end.error}`);
  }

  countGivenUp(): void {
    this.ended.inc({ outcome: 'given_up' });
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
