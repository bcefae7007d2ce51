import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { EventBus } from './event-bus';

/** The bus of domain events, with the handlers of every provider of the application. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [EventBus], exports: [EventBus] })
export class EventsModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly bus: EventBus,
  ) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders()) {
      if (typeof instance === 'object' && instance !== null) this.bus.register(instance as object);
    }
  }
}
