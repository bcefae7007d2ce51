import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { JobRegistry } from '../jobs';
import { DeliverWorker } from './deliver.worker';
import { DeliverySettledMissingError, DeliverySettled, SettledPort } from './delivery-settled';
import { ChannelRegistry } from './channel';

/** What deliveries do while the application starts; without a DeliverySettled it does not start. */
@Injectable()
export class DeliveryStart implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly modules: ModuleRef,
    private readonly queues: JobRegistry,
    private readonly queue: DeliverWorker,
    private readonly port: SettledPort,
    private readonly channels: ChannelRegistry,
  ) {}

  onModuleInit(): void {
    this.port.connect(this.findSettled());
  }

  /** Channels register before this. Without one nothing is claimed: parts of one switched off wait. */
  onApplicationBootstrap(): void {
    if (!this.channels.isEmpty) this.queues.register(this.queue);
  }

  private findSettled(): DeliverySettled {
    try {
      return this.modules.get<DeliverySettled>(DeliverySettled, { strict: false });
    } catch (cause) {
      throw new DeliverySettledMissingError('no module provides a DeliverySettled', { cause });
    }
  }
}
