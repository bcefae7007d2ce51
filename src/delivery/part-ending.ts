import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import { type PartRow, DeliveryRepository } from './delivery-rows';
import type { NextSend } from './part-decision';
import { SettledPort } from './settled-port';

/** Writes down what becomes of a part, with what that means to its message. Under the lock. */
@Injectable()
export class PartEnding {
  constructor(
    private readonly rows: DeliveryRepository,
    private readonly port: SettledPort,
  ) {}

  /**
   * `reason`: the code of what just happened. `locked`: the conversations that a block may touch.
   * `outageMs`: how long the channel's outages have lasted, if one of them stops the next pause.
   */
  async apply(
    tx: Tx,
    part: PartRow,
    next: NextSend,
    {
      reason,
      locked,
      outageMs = null,
    }: { reason: string; locked: readonly string[]; outageMs?: number | null },
  ): Promise<void> {
    switch (next.kind) {
      case 'sent':
        await this.rows.markSent(tx, part.id, next.externalId);
        return this.settleIfComplete(tx, part);
      case 'unconfirmed':
        await this.rows.markSent(tx, part.id, null);
        await this.port.settled.onUnconfirmed(tx, named(part));
        return this.settleIfComplete(tx, part);
      case 'again':
        return this.rows.markAgain(tx, part.id, { ...next, error: reason, outageMs });
      case 'dead':
        return this.bury(tx, part, next.error);
      case 'blocked':
        return this.block(tx, part, locked);
    }
  }

  async bury(tx: Tx, part: PartRow, error: string): Promise<void> {
    await this.rows.bury(tx, { messageId: part.messageId, error });
    await this.port.settled.onUndeliverable(tx, { ...named(part), error });
  }

  private async block(tx: Tx, part: PartRow, conversationIds: readonly string[]): Promise<void> {
    await this.rows.buryBlocked(tx, part, conversationIds);
    for (const conversationId of conversationIds) {
      await this.port.settled.onBlocked(tx, { conversationId });
    }
  }

  private async settleIfComplete(tx: Tx, part: PartRow): Promise<void> {
    const { conversationId, turnId } = part;
    if (part.kind !== 'reply' || turnId === null) return;
    if (!(await this.rows.isComplete(tx, part.messageId))) return;
    await this.port.settled.onDelivered(tx, { conversationId, turnId });
  }
}

function named(part: PartRow) {
  return { conversationId: part.conversationId, deliveryId: part.id };
}
