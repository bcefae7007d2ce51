import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { DomainEvents } from '../../common/events';
import { Metrics } from '../../common/metrics';
import type { Tx } from '../../common/uow';
import { BoardHealth } from './board-health';
import type { ScanStep } from './scan-place';

/** Reports how scans end: in the log, as a metric, and as an item of the attention list. */
@Injectable()
export class ScanReports {
  private readonly logger = new Logger('NotionSync');
  private readonly ends: Counter<'end'>;

  constructor(
    private readonly events: DomainEvents,
    private readonly health: BoardHealth,
    metrics: Metrics,
  ) {
    this.ends = metrics.counter(
      'notion_scans_total',
      'Scans through all open tasks by how they ended: whole, incomplete, refused, dead',
      ['end'],
    );
  }

  ended({ next, isWhole, crowdedMinute }: ScanStep): void {
    if (crowdedMinute !== null) {
      this.logger.warn(
        `Notion returns only a part of the open tasks created in the minute from ${crowdedMinute.toISOString()}, because a query returns 10,000 at most. The scan leaves out the rest of them.`,
      );
    }
    if (next !== null) return;
    this.ends.inc({ end: isWhole ? 'whole' : 'incomplete' });
    if (!isWhole) this.logger.warn(INCOMPLETE);
  }

  /** What the schema of the data source says about all boards; null: they can be ranked. */
  schema(problem: string | null): void {
    this.health.seen(problem);
  }

  refused(reason: string): void {
    this.ends.inc({ end: 'refused' });
    this.logger.warn(reason);
  }

  dead(reason: string): void {
    this.ends.inc({ end: 'dead' });
    this.logger.warn(reason);
  }

  raise(tx: Tx, reason: string): Promise<void> {
    return this.events.publish(tx, 'attention.needed', {
      kind: 'stalled',
      subject: SUBJECT,
      reason,
    });
  }

  settle(tx: Tx): Promise<void> {
    return this.events.publish(tx, 'attention.settled', {
      subject: SUBJECT,
      resolution: 'a later scan read all open tasks',
    });
  }
}

/** The subject of the attention item about scans. */
const SUBJECT = 'notion:scan';
export const INCOMPLETE =
  'the scan did not read all open tasks, so no stored page is removed; changes of unread tasks are noticed only by webhooks';
