import type { Tx } from '../common/uow';

/**
 * What a delivery means to the interview. Declared here, provided by the interview under this very
 * token; the application does not start without it. Each method runs in the commit that changes
 * the parts, under the conversation's lock.
 */
export abstract class DeliverySettled {
  /** The last part of the turn's reply was sent. */
  abstract onDelivered(tx: Tx, reply: { conversationId: string; turnId: string }): Promise<void>;
  /** A part may have arrived or not, and only a person sends it again. It counts as sent. */
  abstract onUnconfirmed(tx: Tx, part: SettledPart): Promise<void>;
  /** A part will not be sent any more, nor will those after it. `error` is a code. */
  abstract onUndeliverable(tx: Tx, part: SettledPart & { error: string }): Promise<void>;
  /** The person does not take messages of the channel; what was to be sent there is dead. */
  abstract onBlocked(tx: Tx, of: { conversationId: string }): Promise<void>;
  /** The person takes messages again. */
  abstract onUnblocked(tx: Tx, of: { conversationId: string }): Promise<void>;
}

export interface SettledPart {
  readonly conversationId: string;
  readonly deliveryId: string;
}
