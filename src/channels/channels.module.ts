import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { ChannelRegistry, isChannelAdapter } from './channel';

/** The registry of channels, with every provider that is marked with @ChannelAdapter. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [ChannelRegistry], exports: [ChannelRegistry] })
export class ChannelsModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly channels: ChannelRegistry,
  ) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders() as { instance: unknown }[]) {
      if (isChannelAdapter(instance)) this.channels.register(instance);
    }
  }
}
