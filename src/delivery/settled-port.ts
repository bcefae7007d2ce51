import { Injectable } from '@nestjs/common';
import type { DeliverySettled } from './delivery-settled';
import { DeliverySettledMissingError } from './deliver.worker';

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
