import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Settings } from '../common/config';
import { UnitOfWorkFactory } from '../common/uow';
import { JobRegistry } from '../jobs';
import { BufferService } from './buffer.service';
import { FlushHandlerMissingError } from './errors';
import { FlushHandler } from './flush-handler';
import { FlushWorker } from './flush.worker';
import { FlushPort } from './flush-port';

/** What the buffer does while the application starts; without a FlushHandler it does not start. */
@Injectable()
export class BufferStart implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly modules: ModuleRef,
    private readonly queues: JobRegistry,
    private readonly queue: FlushWorker,
    private readonly port: FlushPort,
    private readonly buffer: BufferService,
    private readonly units: UnitOfWorkFactory,
    private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.port.connect(this.findHandler());
    this.queues.register(this.queue);
  }

  /** Switched off, what an earlier start left waiting is due now as well. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.buffer.enabled) return;
    await this.units.run('buffer.start', (uow) =>
      uow.commitOne('buffer.start', (tx) =>
        this.buffer.makeOpenBuffersDue(tx, { appendedHere: false }),
      ),
    );
  }

  private findHandler(): FlushHandler {
    try {
      return this.modules.get<FlushHandler>(FlushHandler, { strict: false });
    } catch (cause) {
      throw new FlushHandlerMissingError('no module provides a FlushHandler', { cause });
    }
  }
}
