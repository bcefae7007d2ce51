import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../clock';
import { currentCommitLabel } from './commit-scope';
import { UnitOfWorkBusyError } from './errors';
import { UnitOfWork } from './unit-of-work';
import { UnitOfWorkMetrics } from './uow.metrics';

/**
 * Opens units of work; the only holder of the DataSource. Open a unit where the flow is produced
 * (the stream's producer, the job's runner), never in a handler that returns before its stream ends.
 */
@Injectable()
export class UnitOfWorkFactory {
  private openCount = 0;
  private committingCount = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly metrics: UnitOfWorkMetrics,
  ) {}

  /** Units of this process that are open: every request, stream and job under way has one. */
  get openUnits(): number {
    return this.openCount;
  }

  /** Units of this process whose commit is running now; only these hold a connection. */
  get committing(): number {
    return this.committingCount;
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
      onCommitting: (isCommitting) => {
        this.committingCount += isCommitting ? 1 : -1;
        this.metrics.committing(isCommitting);
      },
      onClosed: () => {
        this.openCount -= 1;
      },
    });
  }

  /** Opens a unit for `flow`, and closes it also when the flow throws. */
  async run<T>(label: string, flow: (uow: UnitOfWork) => Promise<T>): Promise<T> {
    const uow = this.open(label);
    try {
      return await flow(uow);
    } finally {
      uow.close();
    }
  }
}
