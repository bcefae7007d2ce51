import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Clock } from '../clock';
import { Settings } from '../config';
import { serverOf } from '../http';
import { Drain, drainRequests } from './drain';
import { PeerHealth } from './peer-health';

/** The drain, in which every room registers its own steps, and what is known of peers; each once for the process. */
@Global()
@Module({
  providers: [
    {
      provide: Drain,
      inject: [Clock, Settings],
      useFactory: (clock: Clock, { shutdown }: Settings) => new Drain(clock, shutdown.deadlineMs),
    },
    PeerHealth,
  ],
  exports: [Drain, PeerHealth],
})
export class LifecycleModule implements OnModuleInit {
  constructor(
    private readonly drain: Drain,
    private readonly clock: Clock,
    private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server = serverOf(this.host);
    if (server !== null) drainRequests(server, this.drain, this.clock);
  }
}
