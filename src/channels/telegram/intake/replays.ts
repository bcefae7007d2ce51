import { Injectable } from '@nestjs/common';
import {
  AttentionNotReplayableError,
  EventBus,
  OnEvent,
  type PayloadOf,
} from '../../../common/events';
import type { Tx } from '../../../common/uow';
import { Jobs } from '../../../jobs';
import { BotReplyRepository, type BotCall, type StoredBotReply } from './bot-reply.repository';
import { UpdateRepository } from './update.repository';

/** Subject of an attention item; the id of the bot's reply follows. Public, so the name stays. */
const REPLY_SUBJECT = 'telegram-reply:';

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
      throw new AttentionNotReplayableError('this cannot be sent again: the message is gone');
    }
    await this.jobs.enqueue(tx, { queue: 'intake', key: chatId, dueInMs: 0 });
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
      await this.inbox.end(tx, { chatId, updateId }, 'dead');
      await this.events.publish(tx, 'attention.needed', {
        kind: 'dead',
        subject: `${UPDATE_SUBJECT}${botId}:${updateId}`,
        jobId,
        reason: 'a message from Telegram could not be handled; it is stored unchanged',
      });
      return true;
    }
    const reply = await this.replies.next(tx, chatId);
    if (reply === undefined) return false;
    await this.replies.remove(tx, reply.id);
    await this.events.publish(tx, 'attention.needed', {
      kind: 'dead',
      subject: `job:${jobId}`,
      jobId,
      reason: `a reply on Telegram (${reply.call.method}) could not be sent; it is left out`,
    });
    return true;
  }

  @OnEvent('attention.replayed', { topic: 'telegram-update' })
  async onReplayed(tx: Tx, { subject }: PayloadOf<'attention.replayed'>): Promise<void> {
    const [botId = '', updateId = ''] = subject.slice(UPDATE_SUBJECT.length).split(':');
    const chatId = await this.inbox.revive(tx, { botId, updateId });
    if (chatId === null) {
      throw new AttentionNotReplayableError('this cannot be done again: the message is gone');
    }
    await this.jobs.enqueue(tx, { queue: 'intake', key: chatId, dueInMs: 0 });
  }
}

/** The providers that replay an item where no bot runs: in commands. */
export const telegramReplays = [
  BotReplyRepository,
  UpdateRepository,
  DeadUpdates,
  UnconfirmedReplies,
];
