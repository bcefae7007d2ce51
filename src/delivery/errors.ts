import { ColloquyError } from '../common/errors';
import { PeerUnavailableError } from '../jobs';

/** A channel is registered twice, or parts are due of one that is not registered at all. */
export class UnknownChannelError extends ColloquyError {
  readonly code = 'sending_channel';
  readonly retryable = false;
}

/** No module provides a DeliverySettled: the composition is wrong. */
export class DeliverySettledMissingError extends ColloquyError {
  readonly code = 'delivery_settled_missing';
  readonly retryable = false;
}

/** The channel's server takes nothing from anybody: the lane waits, no part is to blame. */
export class ChannelUnavailableError extends PeerUnavailableError {
  override readonly code = 'channel_unavailable';
}
