import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { JobRegistry } from '../../jobs';
import { BoardRun } from './board-run';
import { BoardWorker } from './board.worker';
import { BoardRunMissingError } from './errors';

/** Registers the lane when the application starts; without a BoardRun it does not start. */
@Injectable()
export class BoardLaneStart implements OnModuleInit {
  constructor(
    private readonly modules: ModuleRef,
    private readonly lanes: JobRegistry,
    private readonly lane: BoardWorker,
  ) {}

  onModuleInit(): void {
    this.lane.connect(this.findRun());
    this.lanes.register(this.lane);
  }

  private findRun(): BoardRun {
    try {
      return this.modules.get<BoardRun>(BoardRun, { strict: false });
    } catch (cause) {
      throw new BoardRunMissingError('no module provides a BoardRun', { cause });
    }
  }
}
