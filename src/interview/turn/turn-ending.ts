import { Injectable } from '@nestjs/common';
import { AttentionService } from '../../attention';
import type { DeadFlush } from '../../buffer';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { DeliveryService } from '../../delivery';
import { type ConversationRow, ConversationRepository, MessageRepository } from '../../persistence';
import { textsOf } from '../texts/texts';
import { ENDED_BY_OUTAGE, TurnRepository } from './turn-table';

/** `task.last_error` begins with the code of what failed; these say nothing about the answer. */
const OUTAGE =
  /^(model_unavailable|database_unavailable|database_busy|pool_exhausted|commit_outcome_unknown)\b/;

/** What a notice's external id begins with: one of each for an answer. */
const PREFIX = { trouble: 'trouble', leftToPerson: 'left' } as const;

/**
 * How an answer ends without a reply: it goes to a person, and the candidate is told that it is
 * kept. Runs inside the commit that ends the task.
 */
@Injectable()
export class TurnEnding {
  private ended: DeadFlush[] = [];
  private settled: DeadFlush[] = [];

  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly turns: TurnRepository,
    private readonly attention: AttentionService,
    private readonly deliveries: DeliveryService,
    private readonly clock: Clock,
  ) {}

  onDead(tx: Tx, flush: DeadFlush): Promise<void> {
    const reason = `the answer could not be replied to (${flush.lastError ?? 'its worker crashed'})`;
    return this.giveUp(tx, flush, { state: 'failed', kind: 'dead', reason });
  }

  /** A dead one is before a person already: its age is no news. */
  async onExpired(tx: Tx, flush: DeadFlush): Promise<void> {
    const known = await this.turns.findByFlush(tx, flush.flushId);
    if (known?.state === 'failed') return;
    const reason = 'the answer grew too old before it could be replied to';
    await this.giveUp(tx, flush, { state: 'expired', kind: 'expired', reason });
  }

  /** What ended here before the previous call: its commit is over, well or not. */
  takeEnded(): DeadFlush[] {
    const { settled } = this;
    this.settled = this.ended;
    this.ended = [];
    return settled;
  }

  private async giveUp(
    tx: Tx,
    flush: DeadFlush,
    end: { state: 'failed' | 'expired'; kind: 'dead' | 'expired'; reason: string },
  ): Promise<void> {
    const conversation = await this.conversations.lock(tx, flush.conversationId);
    if (conversation === undefined) return;
    this.ended.push(flush);
    const messages = await this.messages.listOfBuffers(tx, [flush.bufferId], 0);
    const turn = {
      flushId: flush.flushId,
      bufferId: flush.bufferId,
      conversationId: conversation.id,
      interviewStep: conversation.interviewStep,
      channel: messages.at(-1)?.channel ?? 'web',
      messageCount: messages.length,
      replyMessageId: newId(),
      now: this.clock.databaseNow(),
    };
    const isOutage = OUTAGE.test(flush.lastError ?? '');
    const error = isOutage ? ENDED_BY_OUTAGE : (flush.lastError ?? 'crashed');
    await this.turns.giveUp(tx, turn, { state: end.state, error });
    await this.attention.raise(tx, {
      kind: end.kind,
      subject: `task:${flush.taskId}`,
      conversationId: conversation.id,
      taskId: flush.taskId,
      reason: end.reason,
    });
    await this.tell(tx, conversation, flush.bufferId, 'leftToPerson');
  }

  /** Once for each answer, whoever notices first. */
  tellTrouble(tx: Tx, conversation: ConversationRow, bufferId: string): Promise<boolean> {
    return this.tell(tx, conversation, bufferId, 'trouble');
  }

  private async tell(
    tx: Tx,
    { id: conversationId, language }: ConversationRow,
    bufferId: string,
    what: keyof typeof PREFIX,
  ): Promise<boolean> {
    const text = textsOf(language)[what];
    const line = await this.messages.say(tx, {
      id: newId(),
      conversationId,
      role: 'system',
      externalId: `${PREFIX[what]}:${bufferId}`,
      text,
      now: this.clock.databaseNow(),
    });
    if (line === undefined) return false;
    await this.send(tx, { conversationId, bufferId, messageId: line.id, text });
    return true;
  }

  /** Where the answer came from, if that has to be sent to. The page shows it anyway. */
  private async send(
    tx: Tx,
    notice: { conversationId: string; bufferId: string; messageId: string; text: string },
  ): Promise<void> {
    const { conversationId, messageId, text } = notice;
    const channel = (await this.messages.listOfBuffers(tx, [notice.bufferId], 0)).at(-1)?.channel;
    if (channel === undefined || !this.deliveries.sends(channel)) return;
    const message = { conversationId, messageId, channel, text, turnId: null };
    await this.deliveries.add(tx, { ...message, kind: 'notice' });
  }
}
