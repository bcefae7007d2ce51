import { Injectable } from '@nestjs/common';
import { AttentionNotReplayableError, OnEvent, type PayloadOf } from '../../common/events';
import type { Tx } from '../../common/uow';
import { DeliveryService, type Resumed } from '../../delivery';
import { ConversationRepository } from '../conversation.repository';
import { DELIVERY_SUBJECT } from './turn-ending';
import { Clock } from '../../common/clock';
import { Jobs } from '../../jobs';
import { LEFT_TO_NEXT_TURN } from './turn.repository';

/** An item of the attention list whose work a person wants done again. */
type ReplayedItem = PayloadOf<'attention.replayed'>;

/** What "do it again" means for a message that may not have reached its candidate: it is sent again. */
@Injectable()
export class DeliveryReplay {
  constructor(
    private readonly deliveries: DeliveryService,
    private readonly conversations: ConversationRepository,
  ) {}

  isAbout({ subject }: ReplayedItem): boolean {
    return subject.startsWith(DELIVERY_SUBJECT);
  }

  /** Of a part that is dead, or that may have arrived. Throws AttentionNotReplayableError. */
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

interface Later {
  readonly id: string;
  readonly state: 'open' | 'running' | 'retry';
}

/**
 * What "do it again" means for an answer that ended without a reply; for a reply that was not
 * delivered see DeliveryReplay.
 *
 * - Nothing came after it: it is due again, with a new budget.
 * - A later answer is being collected, or waits: that one is due and takes this one up, so that
 *   both get one reply, in their order.
 * - A later answer is being replied to or was: refused, the transcript would read backwards.
 */
@Injectable()
export class TurnReplay {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly jobs: Jobs,
    private readonly delivery: DeliveryReplay,
    private readonly clock: Clock,
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
    const later = await this.findLater(tx, conversationId, jobId);
    if (later?.state === 'running') throw notReplayable('a later answer is being replied to');
    if (later !== undefined && (await this.leaveTo(tx, later, jobId))) return;
    await tx.query(
      `update turn set state = 'opened', error = null, completed_at = null,
         stop_requested_at = null
       where buffer_id = $1 and state in ('failed', 'expired')`,
      [jobId],
    );
    await this.jobs.replay(tx, jobId);
  }

  /** Neither this answer nor a later one has a reply. */
  private async assertUnanswered(tx: Tx, conversationId: string, jobId: string): Promise<void> {
    const [found] = await tx.query<{ isMerged: boolean | null; isPassed: boolean | null }>(
      `select bool_or(buffer_id = $2 and state = 'merged') as "isMerged",
         bool_or(buffer_id > $2 and state in ('answered', 'delivered')) as "isPassed"
       from turn where conversation_id = $1`,
      [conversationId, jobId],
    );
    if (found?.isMerged === true) throw notReplayable('it is part of a later answer');
    if (found?.isPassed === true) throw notReplayable('a later answer has been replied to');
  }

  private async findLater(
    tx: Tx,
    conversationId: string,
    jobId: string,
  ): Promise<Later | undefined> {
    const rows = await tx.query<Later>(
      `select id, state from job
       where queue = 'flush' and key = $1 and id > $2 and state in ('open', 'running', 'retry')
       order by id limit 1 for no key update`,
      [conversationId, jobId],
    );
    return rows[0];
  }

  /** False when this answer never had a turn: then there is nothing to take up. */
  private async leaveTo(tx: Tx, later: Later, jobId: string): Promise<boolean> {
    const left = await tx.query(
      `update turn set error = $2 where buffer_id = $1 and state in ('failed', 'expired')
       returning id`,
      [jobId, LEFT_TO_NEXT_TURN],
    );
    if (left.length === 0) return false;
    await tx.query(
      `update job t set due_at = n.at, quiet_at = least(t.quiet_at, n.at)
       from (select coalesce($2::timestamptz, clock_timestamp()) as at) n
       where t.id = $1 and t.state in ('open', 'retry')`,
      [later.id, this.clock.databaseNow()],
    );
    return true;
  }
}

function notReplayable(why: string): AttentionNotReplayableError {
  return new AttentionNotReplayableError(`this cannot be done again: ${why}`);
}
