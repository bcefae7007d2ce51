import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Metrics, shared } from '../common/metrics';
import { UnitOfWorkFactory } from '../common/uow';
import { JobRegistry } from './job';
import * as sql from './job.repository';

/**
 * What waits in the queues of the whole cluster, read from the database at each scrape. Every replica
 * shows the same figures, so a dashboard takes their maximum and not their sum.
 */
@Injectable()
export class QueueMetrics {
  private readonly logger = new Logger('Jobs');
  private readonly sizes = shared(() => this.measure());

  constructor(
    private readonly metrics: Metrics,
    private readonly registry: JobRegistry,
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
  ) {
    this.measured('jobs_due', 'Jobs in the database that are due and not claimed', 'due');
    this.measured('jobs_dead', 'Jobs in the database that wait for a person', 'dead');
    this.measured(
      'job_oldest_due_seconds',
      'For how long the oldest due job has waited to be claimed',
      'oldestDueS',
    );
  }

  private measured(name: string, help: string, figure: 'due' | 'dead' | 'oldestDueS'): void {
    this.metrics.gauge(name, help, ['queue'], async (gauge) => {
      for (const size of await this.sizes()) gauge.set({ queue: size.queue }, size[figure]);
    });
  }

  /** Without a database the figures keep their last values, so that a scrape never fails. */
  private async measure(): Promise<readonly sql.QueueSize[]> {
    const queues = this.registry.all().map(({ queue }) => queue);
    const { text, values } = sql.queueSizes(queues, this.clock.databaseNow());
    try {
      return await this.units.run('job.measure', (uow) =>
        uow.commitOne('job.measure', (tx) => tx.query<sql.QueueSize>(text, values)),
      );
    } catch {
      this.logger.debug('the queues were not counted');
      return [];
    }
  }
}
