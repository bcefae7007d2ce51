import { Injectable } from '@nestjs/common';
import {
  AttentionNotReplayableError,
  DomainEvents,
  DomainEventHandler,
  type PayloadOf,
} from '../../../common/events';
import type { Tx } from '../../../common/uow';
import { Jobs } from '../../../jobs';
import { type BotCall, BotReplyRepository, type StoredBotReply } from './bot-reply.repository';
import { INTAKE_QUEUE, UpdateRepository } from './update.repository';

/*
 * What could not be handled or sent, and its replay. It loads no library of the Bot API, because a command
 * replays it too.
 */

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
    private readonly events: DomainEvents,
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

  @DomainEventHandler('attention.replayed', { topic: 'telegram-reply' })
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
    private readonly events: DomainEvents,
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

  @DomainEventHandler('attention.replayed', { topic: 'telegram-update' })
  async onReplayed(tx: Tx, { subject }: PayloadOf<'attention.replayed'>): Promise<void> {
    const [botId = '', updateId = ''] = subject.slice(UPDATE_SUBJECT.length).split(':');
    const chatId = await this.inbox.revive(tx, { botId, updateId });
    if (chatId === null) {
      throw new AttentionNotReplayableError(MESSAGE_DELETED);
    }
    await this.jobs.enqueue(tx, { queue: INTAKE_QUEUE, key: chatId, dueInMs: 0 });
  }
}
