import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import type { Counter } from 'prom-client';
import { Settings } from '../common/config';
import { describeError } from '../common/errors';
import { DomainEvents, DomainEventHandler, type PayloadOf } from '../common/events';
import { Metrics } from '../common/metrics';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import { PersonalDataService } from './personal-data.service';
import { type RetentionClass, type RetentionRule, rulesOf } from './retention-policy';
import {
  type DueCandidates,
  type DueCount,
  RetentionRepository,
  isOwn,
} from './retention.repository';
import { AuditRepository } from './audit.repository';

/** Of each class, what one run deletes at most; the next run goes on. */
const MAX_PER_RUN = 2_000;
/** Candidates that are read, and media and accounts that are deleted, by one statement. */
const BATCH = 50;

/** A rule and what is due by it; `count` 0 where everything is kept. */
export type DueRule = RetentionRule & DueCount;

type DeletedCounts = Readonly<Record<RetentionClass, number>>;

/**
 * Deletes data whose retention period is over (see retention-policy.ts), every hour. A candidate is erased by
 * the same code as on their own request, each in a commit of their own, in which it is checked again
 * that they are due: a message or a hold that comes in between wins. Replicas may run it side by side.
 */
@Injectable()
export class RetentionService {
  private readonly logger = new Logger('Retention');
  private readonly deleted: Counter<'class'>;
  private readonly rules: readonly RetentionRule[];

  constructor(
    settings: Settings,
    metrics: Metrics,
    private readonly units: UnitOfWorkFactory,
    private readonly records: RetentionRepository,
    private readonly personal: PersonalDataService,
    private readonly events: DomainEvents,
  ) {
    this.rules = rulesOf(settings.retention);
    this.deleted = metrics.counter(
      'retention_deleted_total',
      'Candidates, recordings and files, scores, decisions, and accounts that were deleted by their age',
      ['class'],
    );
  }

  @Cron(CronExpression.EVERY_HOUR)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(
        `could not delete old data, trying again in an hour: ${describeError(error)}`,
      );
    }
  }

  /** For how many days the class is kept; null: until a person erases it. */
  keptDays(of: RetentionClass): number | null {
    return this.rules.find((rule) => rule.class === of)?.keptDays ?? null;
  }

  /** What a run would delete now. Writes nothing. */
  due(): Promise<readonly DueRule[]> {
    return this.units.run('retention.due', async (uow) => {
      const found: DueRule[] = [];
      for (const rule of this.rules) {
        const count = await uow.commit('retention.due', (tx) => this.countDue(tx, rule));
        found.push({ ...rule, ...count });
      }
      return found;
    });
  }

  /** Deletes what is due, at most so many of each class. */
  run(atMost = MAX_PER_RUN): Promise<DeletedCounts> {
    return this.units.run('retention', async (uow) => {
      const deleted = {
        transcript: 0,
        media: 0,
        scores: 0,
        decisions: 0,
        not_started: 0,
        preview: 0,
        account: 0,
      };
      for (const rule of this.rules) {
        if (rule.keptDays === null) continue;
        const count = await this.deleteDue(uow, rule.class, { keptDays: rule.keptDays, atMost });
        deleted[rule.class] = count;
        if (count === 0) continue;
        this.deleted.inc({ class: rule.class }, count);
        this.logger.log(
          `deleted by age: ${String(count)} of class ${rule.class}, ` +
            `older than ${String(rule.keptDays)} days (${rule.source})`,
        );
      }
      return deleted;
    });
  }

  /** The reason may name the person, so it is part of the export. */
  @DomainEventHandler('candidate.exported')
  async onExported(
    tx: Tx,
    { candidateId }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const hold = await this.records.holdOf(tx, candidateId);
    if (hold === null) return { name: 'legalHold', data: undefined };
    return { name: 'legalHold', data: { reason: hold.reason, placedAt: hold.placedAt } };
  }

  private async countDue(tx: Tx, rule: RetentionRule): Promise<DueCount> {
    if (rule.keptDays === null) return { count: 0, oldestAt: null };
    if (isOwn(rule.class)) return this.records.count(tx, rule.class, rule.keptDays);
    const counts = await this.ofOthers(tx, rule.class, { keptDays: rule.keptDays, limit: null });
    const times = counts.flatMap(({ oldestAt }) => (oldestAt === null ? [] : [oldestAt.getTime()]));
    return {
      count: counts.reduce((sum, { count }) => sum + count, 0),
      oldestAt: times.length === 0 ? null : new Date(Math.min(...times)),
    };
  }

  /** Other rooms count or delete what they keep. */
  private ofOthers(
    tx: Tx,
    due: RetentionClass,
    of: { readonly keptDays: number; readonly limit: number | null },
  ): Promise<DueCount[]> {
    return this.events.collect(tx, 'retention.due', { class: due, ...of });
  }

  private async deleteDue(
    uow: UnitOfWork,
    due: RetentionClass,
    { keptDays, atMost }: { readonly keptDays: number; readonly atMost: number },
  ): Promise<number> {
    let total = 0;
    while (total < atMost) {
      const { deleted, isMore } = await this.deleteBatch(uow, due, keptDays);
      total += deleted;
      if (!isMore) break;
    }
    return total;
  }

  private async deleteBatch(
    uow: UnitOfWork,
    due: RetentionClass,
    keptDays: number,
  ): Promise<{ deleted: number; isMore: boolean }> {
    const of = { keptDays, limit: BATCH };
    if (due === 'media') {
      const deleted = await uow.commit('retention.media', (tx) => this.records.dropMedia(tx, of));
      return { deleted, isMore: deleted === BATCH };
    }
    if (!isOwn(due)) {
      const counts = await uow.commit(`retention.${due}`, (tx) => this.ofOthers(tx, due, of));
      const deleted = counts.reduce((sum, { count }) => sum + count, 0);
      return { deleted, isMore: counts.some(({ count }) => count === BATCH) };
    }
    const candidateIds = await uow.commitOne('retention.list', (tx) =>
      this.records.listCandidates(tx, due, of),
    );
    let deleted = 0;
    for (const candidateId of candidateIds) {
      if (await this.eraseIfDue(uow, due, { candidateId, keptDays })) deleted += 1;
    }
    // A batch of which nothing could be deleted would be read again and again.
    return { deleted, isMore: candidateIds.length === BATCH && deleted > 0 };
  }

  private eraseIfDue(
    uow: UnitOfWork,
    due: DueCandidates,
    of: { readonly candidateId: string; readonly keptDays: number },
  ): Promise<boolean> {
    return uow.commit('retention.erase', async (tx) => {
      await this.personal.lock(tx, of.candidateId);
      if (!(await this.records.isStillDue(tx, due, of))) return false;
      const { isFound } = await this.personal.erase(tx, of.candidateId, 'retention');
      return isFound;
    });
  }
}

/** Audit rows that one statement deletes, and statements of one run. */
const AUDIT_BATCH = 1000;
const MAX_AUDIT_BATCHES = 20;

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
      for (let batch = 0; batch < MAX_AUDIT_BATCHES; batch += 1) {
        const count = await uow.commitOne('audit.sweep', (tx) =>
          this.audit.deleteOld(tx, { keptDays: this.keptDays, limit: AUDIT_BATCH }),
        );
        deleted += count;
        if (count < AUDIT_BATCH) break;
      }
      return deleted;
    });
  }
}
