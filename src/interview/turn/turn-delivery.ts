import { Injectable } from '@nestjs/common';
import { AttentionService } from '../../attention';
import { BufferService } from '../../buffer';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import { DeliverySettled, type SettledPart } from '../../delivery';
import { TurnRepository } from './turn-table';

/**
 * `turn.delivered`, in the commit that sends the reply's last part: the turn is over and its
 * messages no longer wait. What stands in the way of that goes to a person.
 */
@Injectable()
export class TurnDelivery extends DeliverySettled {
  constructor(
    private readonly turns: TurnRepository,
    private readonly buffer: BufferService,
    private readonly attention: AttentionService,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async onDelivered(
    tx: Tx,
    { turnId }: { conversationId: string; turnId: string },
  ): Promise<void> {
    const bufferId = await this.endTurn(tx, turnId);
    if (bufferId === null) return;
    const takenUp = await this.turns.listTakenUp(tx, turnId);
    for (const id of [...takenUp, bufferId]) await this.buffer.clearBuffer(tx, { bufferId: id });
  }

  override async onUnconfirmed(tx: Tx, part: SettledPart): Promise<void> {
    await this.attention.raise(tx, {
      kind: 'unknown',
      subject: subjectOf(part),
      conversationId: part.conversationId,
      reason:
        'the channel never said whether it took a message to the candidate; replay sends it again',
    });
  }

  /** The turn stays answered: its messages wait until a person has looked, the next one does not. */
  override async onUndeliverable(tx: Tx, part: SettledPart & { error: string }): Promise<void> {
    await this.attention.raise(tx, {
      kind: 'dead',
      subject: subjectOf(part),
      conversationId: part.conversationId,
      reason: `a message to the candidate could not be delivered (${part.error})`,
    });
    await this.buffer.stopWaiting(tx, part);
  }

  override async onBlocked(tx: Tx, of: { conversationId: string }): Promise<void> {
    await this.attention.raise(tx, {
      kind: 'blocked',
      subject: blockOf(of),
      conversationId: of.conversationId,
      reason: 'the candidate does not take messages of the channel any more',
    });
    await this.buffer.stopWaiting(tx, of);
  }

  override async onUnblocked(tx: Tx, of: { conversationId: string }): Promise<void> {
    await this.attention.settle(tx, blockOf(of), 'the candidate takes messages again');
  }

  /** The turn's buffer; null if the turn was over before. */
  private async endTurn(tx: Tx, turnId: string): Promise<string | null> {
    const rows = await tx.query<{ buffer_id: string }>(
      `update turn set state = 'delivered',
         completed_at = coalesce($2::timestamptz, clock_timestamp())
       where id = $1 and state = 'answered' returning buffer_id`,
      [turnId, this.clock.databaseNow()],
    );
    return rows[0]?.buffer_id ?? null;
  }
}

/** Subjects of items that are about a part begin so. */
export const DELIVERY_SUBJECT = 'delivery:';

function subjectOf({ deliveryId }: SettledPart): string {
  return `${DELIVERY_SUBJECT}${deliveryId}`;
}

/** Not the conversation's own subject: that one may stand for something else that is open. */
function blockOf({ conversationId }: { conversationId: string }): string {
  return `block:${conversationId}`;
}
