import type { Tx } from '../../src/common/uow';
import { DeliverySettled, type SettledPart } from '../../src/delivery';

export interface SettledLine {
  readonly what: 'delivered' | 'unconfirmed' | 'undeliverable' | 'blocked' | 'unblocked';
  readonly conversation: string;
  readonly about: string | null;
}

export const SETTLED_TABLE = `create table if not exists settled_log (
  id bigint generated always as identity, what text, conversation uuid, about text)`;

/** Writes down what it is told, in the commit in which it is told. */
export class LoggedSettled extends DeliverySettled {
  override onDelivered(tx: Tx, reply: { conversationId: string; turnId: string }): Promise<void> {
    return log(tx, 'delivered', reply.conversationId, reply.turnId);
  }

  override onUnconfirmed(tx: Tx, part: SettledPart): Promise<void> {
    return log(tx, 'unconfirmed', part.conversationId, part.deliveryId);
  }

  override onUndeliverable(tx: Tx, part: SettledPart & { error: string }): Promise<void> {
    return log(tx, 'undeliverable', part.conversationId, part.error);
  }

  override onBlocked(tx: Tx, of: { conversationId: string }): Promise<void> {
    return log(tx, 'blocked', of.conversationId, null);
  }

  override onUnblocked(tx: Tx, of: { conversationId: string }): Promise<void> {
    return log(tx, 'unblocked', of.conversationId, null);
  }
}

async function log(
  tx: Tx,
  what: SettledLine['what'],
  conversation: string,
  about: string | null,
): Promise<void> {
  await tx.query('insert into settled_log (what, conversation, about) values ($1, $2, $3)', [
    what,
    conversation,
    about,
  ]);
}
