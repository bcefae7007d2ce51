import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { BoardRun } from './board-run';
import { BoardWorker } from './board.worker';
import { BoardRunMissingError } from './errors';

/** Connects the worker with its BoardRun; without one the application does not start. */
@Injectable()
export class BoardWorkerStart implements OnModuleInit {
  constructor(
    private readonly modules: ModuleRef,
    private readonly queue: BoardWorker,
  ) {}

  onModuleInit(): void {
    this.queue.connect(this.findRun());
  }

  private findRun(): BoardRun {
    try {
      return this.modules.get<BoardRun>(BoardRun, { strict: false });
    } catch (cause) {
      throw new BoardRunMissingError('no module provides a BoardRun', { cause });
    }
  }
}
