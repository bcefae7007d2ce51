import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { JobRegistry } from '../../jobs';
import { BoardRun } from './board-run';
import { BoardWorker } from './board.worker';
import { BoardRunMissingError } from './errors';

/** Registers the queue when the application starts; without a BoardRun it does not start. */
@Injectable()
export class BoardWorkerStart implements OnModuleInit {
  constructor(
    private readonly modules: ModuleRef,
    private readonly queues: JobRegistry,
    private readonly queue: BoardWorker,
  ) {}

  onModuleInit(): void {
    this.queue.connect(this.findRun());
    this.queues.register(this.queue);
  }

  private findRun(): BoardRun {
    try {
      return this.modules.get<BoardRun>(BoardRun, { strict: false });
    } catch (cause) {
      throw new BoardRunMissingError('no module provides a BoardRun', { cause });
    }
  }
}
