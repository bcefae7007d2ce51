import { Injectable } from '@nestjs/common';
import { AttentionNotReplayableError, OnEvent, type PayloadOf } from '../../common/events';
import type { Tx } from '../../common/uow';
import { DeliveryService, type Resumed } from '../../delivery';
import { ConversationRepository } from '../conversation.repository';
import { DELIVERY_SUBJECT } from './turn-ending';
import { Jobs } from '../../jobs';
import { type LaterAnswer, UnansweredRepository } from './unanswered.repository';

/** An attention item that a person replays. */
type ReplayedItem = PayloadOf<'attention.replayed'>;

/** Replays a message that may not have reached its candidate: it is sent again. */
@Injectable()
export class DeliveryReplay {
  constructor(
    private readonly deliveries: DeliveryService,
    private readonly conversations: ConversationRepository,
  ) {}

  isAbout({ subject }: ReplayedItem): boolean {
    return subject.startsWith(DELIVERY_SUBJECT);
  }

  /** For a part that is dead or may have arrived. Throws AttentionNotReplayableError. */
  async replayPart(tx: Tx, item: ReplayedItem): Promise<void> {
    await this.assertWanted(tx, item);
    const deliveryId = item.subject.slice(DELIVERY_SUBJECT.length);
    assertResumed(await this.deliveries.replay(tx, deliveryId));
  }

  /** Throws AttentionNotReplayableError. */
  async replayBlocked(tx: Tx, item: ReplayedItem): Promise<void> {
    const conversationId = await this.assertWanted(tx, item);
    assertResumed(await this.deliveries.resume(tx, conversationId));
  }

  private async assertWanted(tx: Tx, { conversationId }: ReplayedItem): Promise<string> {
    if (conversationId === null) throw notResendable('it names no conversation');
    const conversation = await this.conversations.lock(tx, conversationId);
    if (conversation?.status === 'withdrawn') throw notResendable('the candidate has withdrawn');
    return conversationId;
  }
}

function assertResumed(resumed: Resumed): void {
  switch (resumed) {
    case 'resumed':
      return;
    case 'nothing_to_resume':
      throw notResendable('nothing of it is left to send');
    case 'passed':
      throw notResendable('a later reply was delivered');
  }
}

function notResendable(why: string): AttentionNotReplayableError {
  return new AttentionNotReplayableError(`this cannot be sent again: ${why}`);
}

/**
 * Replays an answer that ended without a reply; for an undelivered reply see DeliveryReplay.
 *
 * - No later answer: it is due again, with a new budget of tries.
 * - A later answer is being collected, or waits: that one is due and takes this one up, so that
 *   both get one reply, in their order.
 * - A later answer is being replied to or was: refused, because the order of the transcript would break.
 */
@Injectable()
export class TurnReplay {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly jobs: Jobs,
    private readonly delivery: DeliveryReplay,
    private readonly unanswered: UnansweredRepository,
  ) {}

  /** A dead part of a reply has the subject of a delivery, a dead answer that of its job. */
  @OnEvent('attention.replayed', { topic: 'dead' })
  onDead(tx: Tx, item: ReplayedItem): Promise<void> {
    return this.delivery.isAbout(item) ? this.delivery.replayPart(tx, item) : this.replay(tx, item);
  }

  @OnEvent('attention.replayed', { topic: 'expired' })
  onExpired(tx: Tx, item: ReplayedItem): Promise<void> {
    return this.replay(tx, item);
  }

  @OnEvent('attention.replayed', { topic: 'unknown' })
  onUnknown(tx: Tx, item: ReplayedItem): Promise<void> {
    return this.delivery.replayPart(tx, item);
  }

  @OnEvent('attention.replayed', { topic: 'blocked' })
  onBlocked(tx: Tx, item: ReplayedItem): Promise<void> {
    return this.delivery.replayBlocked(tx, item);
  }

  private async replay(tx: Tx, item: ReplayedItem): Promise<void> {
    const { conversationId, jobId } = item;
    if (conversationId === null || jobId === null) throw notReplayable('it names no answer');
    const conversation = await this.conversations.lock(tx, conversationId);
    if (conversation?.status === 'withdrawn') throw notReplayable('the candidate has withdrawn');
    await this.assertUnanswered(tx, conversationId, jobId);
    const later = await this.unanswered.lockLater(tx, conversationId, jobId);
    if (later?.state === 'running') throw notReplayable('a later answer is being replied to');
    if (later !== undefined && (await this.leaveTo(tx, later, jobId))) return;
    await this.unanswered.reopen(tx, jobId);
    await this.jobs.replay(tx, jobId);
  }

  /** Neither this answer nor a later one has a reply. */
  private async assertUnanswered(tx: Tx, conversationId: string, jobId: string): Promise<void> {
    const found = await this.unanswered.findObstacles(tx, conversationId, jobId);
    if (found.isMerged) throw notReplayable('it is part of a later answer');
    if (found.isPassed) throw notReplayable('a later answer has been replied to');
  }

  /** False if this answer never had a turn, so there is nothing to take up. */
  private async leaveTo(tx: Tx, later: LaterAnswer, jobId: string): Promise<boolean> {
    if (!(await this.unanswered.leaveToNextTurn(tx, jobId))) return false;
    await this.unanswered.makeDue(tx, later.jobId);
    return true;
  }
}

function notReplayable(why: string): AttentionNotReplayableError {
  return new AttentionNotReplayableError(`this cannot be done again: ${why}`);
}
