import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../common/errors';
import { CommitBatcher, type Tx, type UnitOfWork, UnitOfWorkFactory } from '../../common/uow';
import type { EventOutcome } from './webhook-health';
import { type ChangeSet, PageChanges, type PageReading } from './page-changes';
import { PageReadRepository } from '../sync/page.repository';
import { type OurIds, PropertyIdRepository, plainId, EventRepository } from './event.repository';
import type { PageChange } from './webhook-event';

/** An event of one of the two webhooks about pages. */
export interface WebhookChange {
  /** Null: it has no id, so a repetition cannot be recognised. */
  readonly key: string | null;
  /** Null: unknown, or it must not overtake earlier events of the page. */
  readonly happenedAt: Date | null;
  /** Who changed the page; empty: unknown. */
  readonly author: string;
  readonly about: EventSubject;
}

/**
 *   event   a page event of the integration; `propertyIds`: what changed, null: unknown
 *   page    the page itself, as an automation sends it
 *   pages   these pages changed
 */
type EventSubject =
  | {
      readonly kind: 'event';
      readonly pageId: string;
      readonly change: PageChange;
      readonly propertyIds: readonly string[] | null;
    }
  | { readonly kind: 'page'; readonly pageId: string; readonly reading: PageReading }
  | { readonly kind: 'pages'; readonly pageIds: readonly string[] };

/** What a batch of events changes, before it is stored. */
interface Batch {
  readonly changes: ChangeSet;
  /** Who changed each page, by page id. */
  readonly reads: Map<string, string>;
  readonly ours: OurIds | null;
  /** Keys of events that are older than a known event of their page. */
  readonly overtaken: ReadonlySet<string>;
}

/**
 * Stores events, many in one commit: thousands at once need two connections of the pool. When `take`
 * has resolved, the work for the event is durable.
 *
 *   taken ──the tick ends and a connection is free──> stored with the others
 *              └──its batch fails──> stored by itself
 */
@Injectable()
export class EventBatcher {
  private readonly logger = new Logger('NotionWebhook');
  private readonly batches: CommitBatcher<WebhookChange, EventOutcome>;
  private readonly alone: CommitBatcher<WebhookChange, EventOutcome>;
  /** The error of the last batch that could not be stored. */
  private lastError: unknown = null;

  constructor(
    units: UnitOfWorkFactory,
    private readonly events: EventRepository,
    private readonly changes: PageChanges,
    private readonly reads: PageReadRepository,
    private readonly propertyIds: PropertyIdRepository,
  ) {
    const store = (tx: Tx, events: readonly WebhookChange[]) => this.store(tx, events);
    this.batches = new CommitBatcher(units, 'notion.take', store);
    this.alone = new CommitBatcher(units, 'notion.take_alone', store, 1);
  }

  async take(uow: UnitOfWork, event: WebhookChange): Promise<EventOutcome> {
    try {
      return await this.batches.submit(event, uow);
    } catch (error) {
      if (error !== this.lastError) {
        this.logger.warn(
          `storing a batch of events failed; storing them one at a time: ${describeError(error)}`,
        );
      }
      this.lastError = error;
      return this.alone.submit(event, uow);
    }
  }

  private async store(tx: Tx, events: readonly WebhookChange[]): Promise<EventOutcome[]> {
    const changes = await this.changes.of(tx, events.flatMap(pagesOf));
    const ours = events.some(namesProperties) ? await this.propertyIds.known(tx) : null;
    const skipped = events.map((event) => skippedAs(event, changes, ours));
    const taken = events.filter((_, n) => skipped[n] === null);
    const isNew = await this.events.add(tx, taken.flatMap(seenOf));
    const overtaken = await this.events.overtaken(tx, taken.filter(isLeaving).flatMap(seenOf));
    const batch = { changes, ours, overtaken, reads: new Map<string, string>() };
    const outcomes = events.map((event, n): EventOutcome => {
      const skip = skipped[n] ?? null;
      if (skip !== null) return skip;
      // The second of two events with one key is dropped like a repetition.
      if (event.key !== null && !isNew.delete(event.key)) return 'duplicate';
      return decide(event, batch);
    });
    await this.changes.store(tx, changes);
    await this.reads.add(tx, batch.reads);
    return outcomes;
  }
}

/** The outcome of an event that needs neither a row nor a read; null: it needs one. */
function skippedAs(
  { about }: WebhookChange,
  changes: ChangeSet,
  ours: OurIds | null,
): EventOutcome | null {
  const pageId = about.kind === 'pages' ? null : about.pageId;
  if (pageId === null) return null;
  const isElsewhere = about.kind === 'event' ? about.change === 'foreign' : isKindElsewhere(about);
  if (isElsewhere) return changes.isKnown(pageId) ? null : 'other_data_source';
  const named = about.kind === 'event' ? about.propertyIds : null;
  if (named === null || ours === null) return null;
  return named.some((id) => ours.all.has(plainId(id))) ? null : 'irrelevant';
}

function decide(event: WebhookChange, batch: Batch): EventOutcome {
  const { about } = event;
  switch (about.kind) {
    case 'event':
      return decideEvent(event, about, batch);
    case 'page':
      return decidePage(event, about, batch);
    case 'pages':
      return toRead(event, about.pageIds, batch);
  }
}

function decideEvent(
  event: WebhookChange,
  { pageId, change, propertyIds }: Extract<EventSubject, { kind: 'event' }>,
  batch: Batch,
): EventOutcome {
  const { changes, ours, overtaken } = batch;
  if (!changes.isKnown(pageId)) return toRead(event, [pageId], batch);
  if (change !== 'changed') {
    const isOvertaken = event.key === null || overtaken.has(event.key);
    return isOvertaken ? toRead(event, [pageId], batch) : changes.left(pageId);
  }
  // Only a change of the assignees needs a read, because the event does not contain them.
  const isSameOwner =
    propertyIds !== null &&
    ours !== null &&
    !propertyIds.some((id) => plainId(id) === ours.assignee);
  return isSameOwner ? changes.changed(pageId) : toRead(event, [pageId], batch);
}

function decidePage(
  event: WebhookChange,
  { pageId, reading }: Extract<EventSubject, { kind: 'page' }>,
  batch: Batch,
): EventOutcome {
  const { changes } = batch;
  switch (reading.kind) {
    case 'ours':
      return changes.belongsTo(pageId, reading.assigneeIds);
    case 'trashed':
      return changes.left(pageId, reading.assigneeIds);
    case 'elsewhere':
      return changes.left(pageId);
    case 'unclear':
      return changes.isKnown(pageId) && reading.assigneeIds !== null
        ? changes.belongsTo(pageId, reading.assigneeIds)
        : toRead(event, [pageId], batch);
    case 'unreadable':
      return toRead(event, [pageId], batch);
  }
}

function toRead({ author }: WebhookChange, pageIds: readonly string[], { reads }: Batch): 'stored' {
  for (const pageId of pageIds) reads.set(pageId, author);
  return 'stored';
}

function isKindElsewhere(about: EventSubject): boolean {
  return about.kind === 'page' && about.reading.kind === 'elsewhere';
}

function namesProperties({ about }: WebhookChange): boolean {
  return about.kind === 'event' && about.propertyIds !== null;
}

function isLeaving({ about }: WebhookChange): boolean {
  return about.kind === 'event' && about.change !== 'changed';
}

function pagesOf({ about }: WebhookChange): readonly string[] {
  return about.kind === 'pages' ? [] : [about.pageId];
}

function seenOf({ key, happenedAt, about }: WebhookChange) {
  const pageId = about.kind === 'pages' ? null : about.pageId;
  return key === null ? [] : [{ key, pageId, happenedAt }];
}
