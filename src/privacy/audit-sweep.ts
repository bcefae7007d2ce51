import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Settings } from '../common/config';
import { describeError } from '../common/errors';
import { UnitOfWorkFactory } from '../common/uow';
import { AuditRepository } from './audit.repository';

/** Rows that one statement deletes, and statements of one run. */
const BATCH = 1000;
const MAX_BATCHES = 20;

/** Deletes audit rows that are older than AUDIT_RETENTION_DAYS, in small commits. */
@Injectable()
export class AuditSweep {
  private readonly logger = new Logger('Audit');
  private readonly keptDays;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly audit: AuditRepository,
  ) {
    this.keptDays = settings.admin.auditRetentionDays;
  }

  @Cron(CronExpression.EVERY_HOUR)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(
        `could not delete old audit rows, trying again in an hour: ${describeError(error)}`,
      );
    }
  }

  /** At most 20,000 rows in one run; returns how many. */
  async run(): Promise<number> {
    return this.units.run('audit.sweep', async (uow) => {
      let deleted = 0;
      for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
        const count = await uow.commitOne('audit.sweep', (tx) =>
          this.audit.deleteOld(tx, { keptDays: this.keptDays, limit: BATCH }),
        );
        deleted += count;
        if (count < BATCH) break;
      }
      return deleted;
    });
  }
}
