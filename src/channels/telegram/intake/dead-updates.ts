import { Injectable } from '@nestjs/common';
import {
  AttentionNotReplayableError,
  EventBus,
  OnEvent,
  type PayloadOf,
} from '../../../common/events';
import type { Tx } from '../../../common/uow';
import { Jobs } from '../../../jobs';
import { BotReplyRepository } from './bot-reply.repository';
import { UpdateRepository } from './update.repository';

/** Of an item of the attention list; behind it, the bot's id and the update's. */
const SUBJECT = 'telegram-update:';

/**
 * An update that no try has handled. It goes to a person as it came; whoever has mended what was
 * wrong replays it, and it waits again, before what its chat has sent since.
 */
@Injectable()
export class DeadUpdates {
  constructor(
    private readonly inbox: UpdateRepository,
    private readonly answers: BotReplyRepository,
    private readonly events: EventBus,
    private readonly jobs: Jobs,
  ) {}

  /** Takes what a chat's job has failed on out of the chat's way; false: there is nothing. */
  async remove(tx: Tx, chatId: number, jobId: string): Promise<boolean> {
    const [update] = await this.inbox.nextWaiting(tx, chatId, 1);
    if (update !== undefined) {
      const { updateId, botId } = update;
      await this.inbox.end(tx, { chatId, updateId }, 'dead');
      await this.events.publish(tx, 'attention.needed', {
        kind: 'dead',
        subject: `${SUBJECT}${botId}:${updateId}`,
        jobId,
        reason: 'a message from Telegram could not be handled; it is kept as it came',
      });
      return true;
    }
    const answer = await this.answers.next(tx, chatId);
    if (answer === undefined) return false;
    await this.answers.remove(tx, answer.id);
    await this.events.publish(tx, 'attention.needed', {
      kind: 'dead',
      subject: `job:${jobId}`,
      jobId,
      reason: `an answer on Telegram (${answer.call.method}) could not be made; it is left out`,
    });
    return true;
  }

  @OnEvent('attention.replayed', { topic: 'telegram-update' })
  async onReplayed(tx: Tx, { subject }: PayloadOf<'attention.replayed'>): Promise<void> {
    const [botId = '', updateId = ''] = subject.slice(SUBJECT.length).split(':');
    const chatId = await this.inbox.revive(tx, { botId, updateId });
    if (chatId === null) {
      throw new AttentionNotReplayableError('this cannot be done again: the message is gone');
    }
    await this.jobs.enqueue(tx, { queue: 'intake', key: chatId, dueInMs: 0 });
  }
}
