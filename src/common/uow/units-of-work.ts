import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../clock';
import { currentCommitLabel } from './commit-scope';
import { UnitOfWorkBusyError } from './errors';
import { UnitOfWork } from './unit-of-work';
import { UnitOfWorkMetrics } from './uow.metrics';

/**
 * Opens units of work; the only holder of the DataSource. Open one inside the flow's producer,
 * never in a handler that returns before its stream ends.
 */
@Injectable()
export class UnitOfWorkFactory {
  private openCount = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly metrics: UnitOfWorkMetrics,
  ) {}

  /** Flows of this process that have begun something with the database and not ended it. */
  get openUnits(): number {
    return this.openCount;
  }

  /** A new unit; close it when the flow ends. */
  open(label: string): UnitOfWork {
    const outer = currentCommitLabel();
    if (outer !== undefined) {
      throw new UnitOfWorkBusyError(`unit "${label}" was opened inside the commit "${outer}"`);
    }
    this.openCount += 1;
    this.metrics.opened();
    return new UnitOfWork(label, {
      dataSource: this.dataSource,
      clock: this.clock,
      metrics: this.metrics,
      random: Math.random,
      onClosed: () => {
        this.openCount -= 1;
      },
    });
  }

  /** Opens a unit for `flow`, and closes it whatever happens. */
  async run<T>(label: string, flow: (uow: UnitOfWork) => Promise<T>): Promise<T> {
    const uow = this.open(label);
    try {
      return await flow(uow);
    } finally {
      uow.close();
    }
  }
}
