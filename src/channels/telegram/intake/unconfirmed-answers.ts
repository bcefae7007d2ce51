import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  AttentionService,
  type AttentionItem,
  AttentionNotReplayableError,
  AttentionReplays,
} from '../../../attention';
import type { Tx } from '../../../common/uow';
import { Jobs } from '../../../jobs';
import { type BotCall, BotReplyRepository, type StoredBotReply } from './chat-answers';

/** Of an item of the attention list; behind it, the id of the answer. */
const SUBJECT = 'telegram-answer:';

/**
 * A message of the bot that may not have arrived, the disclosure for example: its sends are used
 * up. It is kept and goes to a person, who can send it again.
 */
@Injectable()
export class UnconfirmedAnswers implements OnModuleInit {
  constructor(
    private readonly answers: BotReplyRepository,
    private readonly attention: AttentionService,
    private readonly replays: AttentionReplays,
    private readonly tasks: Jobs,
  ) {}

  onModuleInit(): void {
    this.replays.registerSubject(SUBJECT, (tx, item) => this.replay(tx, item));
  }

  /** Takes it out of its chat's way. The lane's task is fenced. */
  async giveUp(tx: Tx, { id, call }: StoredBotReply): Promise<void> {
    if (!isRead(call)) return this.answers.remove(tx, id);
    const conversationId = await this.answers.giveUp(tx, id);
    await this.attention.raise(tx, {
      kind: 'unknown',
      subject: `${SUBJECT}${id}`,
      conversationId,
      reason: 'Telegram never said whether it took a message of the bot; replay sends it again',
    });
  }

  private async replay(tx: Tx, { subject }: AttentionItem): Promise<void> {
    const chatId = await this.answers.revive(tx, subject.slice(SUBJECT.length));
    if (chatId === null) {
      throw new AttentionNotReplayableError('this cannot be sent again: the message is gone');
    }
    await this.tasks.upsert(tx, { lane: 'intake', key: chatId, dueInMs: 0 });
  }
}

/** What the person reads; everything else is of no use later. */
function isRead({ method }: BotCall): boolean {
  return method === 'sendMessage' || method === 'sendMyData';
}
