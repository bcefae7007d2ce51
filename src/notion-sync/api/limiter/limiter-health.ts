import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { describeError } from '../../../common/errors';
import { DomainEvents } from '../../../common/events';
import { PeerHealth } from '../../../common/lifecycle';
import { UnitOfWorkFactory } from '../../../common/uow';
import { MISSED_IN_A_ROW } from './limiter-timing';
import { LimiterMetrics } from './limiter.metrics';

/**
 * Whether this process starts its calls to Notion in time. Many missed starts in a row mean that the
 * sync has stopped; the log, the readiness probe (`notion_limiter`), the metrics and the listeners
 * report it.
 */
@Injectable()
export class LimiterHealth {
  private readonly logger = new Logger('Notion');
  private inARow = 0;
  private problem: string | null = null;
  /** The attention list may have an open item, left by an earlier process or by a failed store. */
  private mustReport = true;
  private listener: LimiterListener = () => Promise.resolve(true);

  constructor(
    conditions: PeerHealth,
    private readonly metrics: LimiterMetrics,
  ) {
    conditions.register('notion_limiter', () => this.problem, ADVICE);
  }

  onChange(listener: LimiterListener): void {
    this.listener = listener;
  }

  /** Reports after MISSED_IN_A_ROW missed starts, and again after each further MISSED_IN_A_ROW. */
  missed(): void {
    this.inARow += 1;
    this.metrics.missedInARow(this.inARow);
    if (this.inARow % MISSED_IN_A_ROW !== 0) return;
    this.problem =
      `Calls to Notion start too late (${String(this.inARow)} missed their time in a row): ` +
      'the process or its database connection is too slow or unsteady';
    this.logger.warn(this.problem);
    this.report(this.problem);
  }

  onTime(): void {
    this.inARow = 0;
    this.metrics.missedInARow(0);
    if (this.problem === null && !this.mustReport) return;
    if (this.problem !== null) this.logger.log('Calls to Notion start in time again');
    this.mustReport = false;
    this.problem = null;
    this.report(null);
  }

  private report(problem: string | null): void {
    void this.listener(problem).then((isStored) => {
      if (!isStored) this.mustReport = true;
    });
  }
}

/**
 * Gets a sentence when calls to Notion cannot start in time; null when they can again. Returns
 * whether it could store it.
 */
export type LimiterListener = (problem: string | null) => Promise<boolean>;

const ADVICE =
  'Boards are ranked late: give the replica more CPU, or check the load of the database.';

/** The subject of the attention item about calls to Notion in general. */
const SUBJECT = 'notion:limiter';

/** Adds an attention item while calls to Notion start too late, and closes it afterwards. */
@Injectable()
export class LimiterAlarm implements OnModuleInit {
  private readonly logger = new Logger('Notion');
  private stores: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly health: LimiterHealth,
    private readonly units: UnitOfWorkFactory,
    private readonly events: DomainEvents,
  ) {}

  onModuleInit(): void {
    // One at a time, in order. A failed store is repeated by the next report.
    this.health.onChange((problem) => {
      this.stores = this.stores.then(() => this.store(problem));
      return this.stores;
    });
  }

  private async store(problem: string | null): Promise<boolean> {
    try {
      await this.units.run('notion.alarm', (uow) =>
        uow.commit('notion.alarm', (tx) =>
          problem === null
            ? this.events.publish(tx, 'attention.settled', {
                subject: SUBJECT,
                resolution: 'calls to Notion start in time again',
              })
            : this.events.publish(tx, 'attention.needed', {
                kind: 'stalled',
                subject: SUBJECT,
                reason: problem,
              }),
        ),
      );
      return true;
    } catch (error) {
      this.logger.warn(
        `the attention item about missed starts could not be stored: ${describeError(error)}`,
      );
      return false;
    }
  }
}
