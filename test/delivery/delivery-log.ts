import { OnEvent, type PayloadOf } from '../../src/common/events';
import type { Tx } from '../../src/common/uow';

export interface LoggedEvent {
  readonly what: 'delivered' | 'unconfirmed' | 'failed' | 'blocked' | 'unblocked';
  readonly conversation: string;
  readonly about: string | null;
}

export const EVENT_TABLE = `create table if not exists event_log (
  id bigint generated always as identity, what text, conversation uuid, about text)`;

/** Stands for the interview: stores each `delivery.*` event in the commit that publishes it. */
export class DeliveryLog {
  @OnEvent('delivery.delivered')
  onDelivered(tx: Tx, of: PayloadOf<'delivery.delivered'>): Promise<void> {
    return log(tx, 'delivered', of.conversationId, of.turnId);
  }

  @OnEvent('delivery.unconfirmed')
  onUnconfirmed(tx: Tx, of: PayloadOf<'delivery.unconfirmed'>): Promise<void> {
    return log(tx, 'unconfirmed', of.conversationId, of.deliveryId);
  }

  @OnEvent('delivery.failed')
  onFailed(tx: Tx, of: PayloadOf<'delivery.failed'>): Promise<void> {
    return log(tx, 'failed', of.conversationId, of.error);
  }

  @OnEvent('delivery.blocked')
  onBlocked(tx: Tx, of: PayloadOf<'delivery.blocked'>): Promise<void> {
    return log(tx, 'blocked', of.conversationId, null);
  }

  @OnEvent('delivery.unblocked')
  onUnblocked(tx: Tx, of: PayloadOf<'delivery.unblocked'>): Promise<void> {
    return log(tx, 'unblocked', of.conversationId, null);
  }
}

async function log(
  tx: Tx,
  what: LoggedEvent['what'],
  conversation: string,
  about: string | null,
): Promise<void> {
  await tx.query('insert into event_log (what, conversation, about) values ($1, $2, $3)', [
    what,
    conversation,
    about,
  ]);
}
