import type { Tx } from '../common/uow';
import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';

/** No module provides a DeliverySettled: the composition is wrong. */
export class DeliverySettledMissingError extends ColloquyError {
  readonly code = 'delivery_settled_missing';
  readonly retryable = false;
}

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

/** Where the DeliverySettled of a higher layer is plugged in, before anything can be due. */
@Injectable()
export class SettledPort {
  private connected: DeliverySettled | null = null;

  connect(settled: DeliverySettled): void {
    this.connected = settled;
  }

  /** Throws DeliverySettledMissingError. */
  get settled(): DeliverySettled {
    if (this.connected === null) {
      throw new DeliverySettledMissingError('no DeliverySettled is connected to the deliveries');
    }
    return this.connected;
  }
}
