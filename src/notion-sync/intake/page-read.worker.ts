import type { PageObjectResponse } from '@notionhq/client';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../../common/config';
import { ColloquyError, describeError } from '../../common/errors';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../../common/uow';
import { type Claim, type Lease, PeerUnavailableError, type JobFlow, Jobs } from '../../jobs';
import { NotionNotFoundError, NotionRefusedError } from '../api/errors';
import { NotionApi } from '../api/notion-api';
import { NotionRetries } from '../api/notion-calls';
import { describeProblem } from '../board/board-schema';
import { NotionEventWorker, type EventWork } from '../sync/event.worker';
import { WebhookHealth, WebhookMetrics, type PageOutcome } from './webhook-health';
import { type ChangeSet, PageChanges, type PageReading, readPage } from './page-changes';
import { PageReadRepository, READ_KEY, type WaitingRead } from '../sync/page.repository';
import { PropertyIdRepository } from './event.repository';

/** What Notion answered: the page, or that it will not show it to us. */
type Answer = PageReading | { readonly kind: 'gone' } | { readonly kind: 'refused' };

interface Asked {
  readonly answer: Answer;
  /** Null: there is no page that could be read. */
  readonly properties: PageObjectResponse['properties'] | null;
}

/** Then the claim ends, and another replica may go on. */
const MOST_READS = 100;
/** Of a page's own; then nobody tries again before it changes. */
const MAX_FAILURES = 5;
const AFTER_DEATH_MS = 60_000;

/**
 * Reads the pages that wait in `notion_read`, one at a time in the whole cluster: the task
 * `read:next` of the queue `notion-event`.
 *
 *   pick ─> one permitted read, no connection held ─> whose boards, what is remembered, pick ─> ...
 *
 * It reads a page as it is now, so it does not matter what the event was, or how many there were.
 * Nothing that a page may be keeps others waiting: only Notion being away, which costs it nothing.
 */
@Injectable()
export class PageReadWorker implements EventWork, OnModuleInit {
  readonly prefix = READ_KEY.slice(0, READ_KEY.indexOf(':'));
  private readonly logger = new Logger('NotionWebhook');
  private readonly board;

  constructor(
    settings: Settings,
    private readonly queue: NotionEventWorker,
    private readonly api: NotionApi,
    private readonly retries: NotionRetries,
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: Jobs,
    private readonly reads: PageReadRepository,
    private readonly changes: PageChanges,
    private readonly propertyIds: PropertyIdRepository,
    private readonly condition: WebhookHealth,
    private readonly metrics: WebhookMetrics,
  ) {
    const { dataSourceId } = settings.notionSync;
    this.board = { dataSourceId, names: settings.notionBoard.names };
  }

  onModuleInit(): void {
    this.queue.register(this);
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    let read = await this.commit('notion.read-next', claim, (tx) => this.next(tx, claim));
    for (let n = 1; read !== null; n += 1) {
      flow.signal.throwIfAborted();
      const asked = await this.ask(read, claim, flow);
      const over = n >= MOST_READS;
      read = await this.settle(read, asked, { claim, over });
    }
  }

  /** The reads go on, by another task. */
  async onDead(tx: Tx, { queue, key }: Claim): Promise<void> {
    await this.jobs.enqueue(tx, { queue, key, dueInMs: AFTER_DEATH_MS });
  }

  /** A commit without a connection between the calls. */
  private commit<T>(label: string, claim: Claim, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.units.run('notion-event', (uow: UnitOfWork) =>
      uow.commit(label, async (tx) => {
        await this.jobs.fence(tx, claim);
        return work(tx);
      }),
    );
  }

  /** Null: none is due, and the task is completed. */
  private async next(tx: Tx, claim: Claim): Promise<WaitingRead | null> {
    return (await this.reads.next(tx)) ?? this.end(tx, claim);
  }

  private async end(tx: Tx, claim: Claim): Promise<null> {
    const dueInMs = await this.reads.dueInMs(tx);
    if (dueInMs !== null) {
      await this.jobs.enqueue(tx, { queue: claim.queue, key: claim.key, dueInMs });
    }
    await this.jobs.complete(tx, claim);
    return null;
  }

  /**
   * Null: it failed by itself. Throws PeerUnavailableError, LeaseLostError, and the reason of the
   * flow's signal.
   */
  private async ask({ pageId }: WaitingRead, claim: Claim, flow: JobFlow): Promise<Asked | null> {
    const { signal } = flow;
    const lease = (): Lease => this.jobs.leaseOf(claim);
    try {
      const page = await this.retries.withRetries(
        () => {
          flow.assertLease();
          return this.api.retrievePage({ signal, lease }, pageId);
        },
        { signal },
      );
      flow.peerResponded();
      const answer = readPage(page, this.board)?.reading ?? { kind: 'refused' };
      return { answer, properties: page.properties };
    } catch (error) {
      if (error instanceof PeerUnavailableError) {
        await this.commit('notion.read-later', claim, (tx) =>
          this.reads.postpone(tx, pageId, { ownFailures: 0 }),
        );
      }
      if (error instanceof NotionNotFoundError || error instanceof NotionRefusedError) {
        flow.peerResponded();
        if (error instanceof NotionNotFoundError)
          return { answer: { kind: 'gone' }, properties: null };
        this.logger.warn(`the page ${pageId} cannot be read: ${describeError(error)}`);
        return { answer: { kind: 'refused' }, properties: null };
      }
      if (error instanceof ColloquyError || signal.aborted) throw error;
      this.logger.error(`reading the page ${pageId} failed: ${describeError(error)}`);
      return null;
    }
  }

  /** One commit ends this read and picks the next. */
  private async settle(
    read: WaitingRead,
    asked: Asked | null,
    { claim, over }: { claim: Claim; over: boolean },
  ): Promise<WaitingRead | null> {
    const { outcome, next } = await this.commit('notion.event', claim, async (tx) => {
      const settled = await this.apply(tx, read, asked);
      const following = over ? await this.end(tx, claim) : await this.next(tx, claim);
      return { outcome: settled, next: following };
    });
    if (outcome !== null) this.metrics.page(outcome);
    if (asked !== null) this.tell(asked.answer);
    return next;
  }

  private async apply(tx: Tx, read: WaitingRead, asked: Asked | null): Promise<PageOutcome | null> {
    const { pageId, failures } = read;
    const changes = await this.changes.of(tx, [pageId]);
    if (asked === null && failures + 1 < MAX_FAILURES) {
      await this.reads.postpone(tx, pageId, { ownFailures: 1 });
      return null;
    }
    // Those who had it may have a board that is not right; the others are found by the sweep.
    const outcome = outcomeOf(changes, pageId, asked?.answer ?? { kind: 'refused' });
    await this.changes.store(tx, changes);
    await this.reads.end(tx, read);
    if (asked?.answer.kind === 'ours' && asked.properties !== null) {
      await this.propertyIds.learn(tx, asked.properties);
    }
    return outcome;
  }

  private tell(answer: Answer): void {
    if (answer.kind === 'ours') this.condition.assigneesAreRead();
    if (answer.kind !== 'unreadable') return;
    const why = describeProblem(answer.problem);
    this.condition.troubled('assignee', `Nobody knows whose board has changed. ${why}`);
  }
}

function outcomeOf(changes: ChangeSet, pageId: string, answer: Answer): PageOutcome {
  switch (answer.kind) {
    case 'ours':
      return changes.belongsTo(pageId, answer.assigneeIds);
    case 'trashed':
      changes.left(pageId, answer.assigneeIds);
      return 'trash';
    case 'gone':
    case 'elsewhere':
      changes.left(pageId);
      return answer.kind;
    case 'unreadable':
      changes.changed(pageId);
      return 'unreadable';
    case 'unclear':
    case 'refused':
      changes.changed(pageId);
      return 'refused';
  }
}
