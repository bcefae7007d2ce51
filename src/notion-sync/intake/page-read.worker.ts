import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../common/config';
import { ColloquyError, describeError } from '../../common/errors';
import type { Label, Tx } from '../../common/uow';
import {
  type Claim,
  JobHandler,
  type JobFlow,
  type JobHandlerClass,
  Jobs,
  PeerUnavailableError,
} from '../../jobs';
import { NotionNotFoundError, NotionRefusedError } from '../api/errors';
import type { PermitHolder } from '../api/limiter/notion-limiter';
import { NotionApi } from '../api/notion-api';
import { NotionRetries } from '../api/notion-calls';
import { describeProblem } from '../board/board-schema';
import { WebhookHealth, WebhookMetrics, type PageOutcome } from './webhook-health';
import { type ChangeSet, PageChanges, type PageReading, readPage } from './page-changes';
import { PageReadRepository, READ_QUEUE, type WaitingRead } from '../sync/page.repository';

declare module '../../jobs' {
  interface QueueNames {
    'notion-read': PageReadWorker;
  }
}

/** The page, or why Notion does not return it. */
type Reading = PageReading | { readonly kind: 'gone' } | { readonly kind: 'refused' };

interface ReadPage {
  readonly reading: Reading;
  /** From which the ids are learned: of the page, or of the schema. Null: none were read. */
  readonly properties: Readonly<Record<string, unknown>> | null;
}

interface RunningJob {
  readonly claim: Claim;
  readonly flow: JobFlow;
}

/** After this many reads the claim ends, and another replica may go on. */
const MOST_READS = 100;
/** Failures of one page; after the last one it is read again only when it changes. */
const MAX_FAILURES = 5;
const AFTER_DEATH_MS = 60_000;

/**
 * Reads the pages that wait in `notion_read`, one at a time in the whole cluster: the queue has the
 * one key `read:next`.
 *
 *   pick ─> one read with a permit, no connection held ─> mark boards, remember, pick ─> ...
 *
 * It reads the current page, so neither the kind nor the number of events matters. A page that cannot be
 * read does not delay the others. Only an outage of Notion delays them all; it counts as no page's
 * failure.
 */
@Injectable()
@JobHandler(READ_QUEUE, { concurrency: 1, maxFailures: MAX_FAILURES })
export class PageReadWorker implements JobHandlerClass {
  private readonly logger = new Logger('NotionWebhook');
  private readonly board;

  constructor(
    settings: Settings,
    private readonly api: NotionApi,
    private readonly retries: NotionRetries,
    private readonly jobs: Jobs,
    private readonly reads: PageReadRepository,
    private readonly changes: PageChanges,
    private readonly health: WebhookHealth,
    private readonly metrics: WebhookMetrics,
  ) {
    const { dataSourceId } = settings.notionSync;
    this.board = { dataSourceId, names: settings.notionBoard.names };
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const job = { claim, flow };
    let read = await this.commit('notion.read_next', job, (tx) => this.next(tx, claim));
    for (let n = 1; read !== null; n += 1) {
      flow.signal.throwIfAborted();
      const response = await this.read(read, job);
      read = await this.settle(read, response, { job, isLast: n >= MOST_READS });
    }
  }

  /** Another job goes on with the reads. */
  async onDead(tx: Tx, { queue, key }: Claim): Promise<void> {
    await this.jobs.enqueue(tx, { queue, key, dueInMs: AFTER_DEATH_MS });
  }

  /** Holds no connection while Notion is called. */
  private commit<T>(
    label: Label,
    { claim, flow }: RunningJob,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    return flow.uow.commit(label, async (tx) => {
      await this.jobs.fence(tx, claim);
      return work(tx);
    });
  }

  /** Null: none is due, and the job is completed. */
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
   * Null: reading the page failed for a reason that is not Notion's. Throws PeerUnavailableError,
   * LeaseLostError, and the reason of the flow's signal.
   */
  private async read({ pageId }: WaitingRead, job: RunningJob): Promise<ReadPage | null> {
    const { claim, flow } = job;
    const { signal } = flow;
    const holder = { signal, lease: () => this.jobs.leaseOf(claim) };
    try {
      const page = await this.retries.forJob(flow, () => this.api.retrievePage(holder, pageId));
      const reading = readPage(page, this.board)?.reading ?? { kind: 'refused' };
      if (reading.kind !== 'ours' || this.changes.hasAllOurs(page.properties)) {
        return { reading, properties: page.properties };
      }
      return { reading, properties: await this.schema(holder, job) };
    } catch (error) {
      if (error instanceof PeerUnavailableError) {
        await this.commit('notion.read_later', job, (tx) =>
          this.reads.postpone(tx, pageId, { ownFailures: 0 }),
        );
      }
      if (error instanceof NotionNotFoundError) {
        return { reading: { kind: 'gone' }, properties: null };
      }
      if (error instanceof NotionRefusedError) {
        this.logger.warn(`Notion refuses to return the page ${pageId}: ${describeError(error)}`);
        return { reading: { kind: 'refused' }, properties: null };
      }
      if (error instanceof ColloquyError || signal.aborted) throw error;
      this.logger.error(
        `reading the page ${pageId} failed; it is tried again, ${MAX_FAILURES} times at most`,
        error,
      );
      return null;
    }
  }

  /**
   * The properties of the data source, because the page lacks one of ours and only they say that it
   * exists nowhere: otherwise each event would lead to a read of its page. Null: their ids are known, or
   * Notion refuses to return them. Throws as `read` does.
   */
  private async schema(
    holder: PermitHolder,
    job: RunningJob,
  ): Promise<Readonly<Record<string, unknown>> | null> {
    const areKnown = await this.commit('notion.known_properties', job, (tx) =>
      this.changes.areIdsKnown(tx),
    );
    if (areKnown) return null;
    const { dataSourceId } = this.board;
    try {
      const { properties } = await this.retries.forJob(job.flow, () =>
        this.api.retrieveDataSource(holder, dataSourceId),
      );
      return properties;
    } catch (error) {
      const isRefusal = error instanceof NotionRefusedError || error instanceof NotionNotFoundError;
      if (!isRefusal) throw error;
      return null;
    }
  }

  /** One commit ends this read and picks the next. */
  private async settle(
    read: WaitingRead,
    page: ReadPage | null,
    { job, isLast }: { job: RunningJob; isLast: boolean },
  ): Promise<WaitingRead | null> {
    const { outcome, next } = await this.commit('notion.event', job, async (tx) => {
      const settled = await this.apply(tx, read, page);
      const following = isLast ? await this.end(tx, job.claim) : await this.next(tx, job.claim);
      return { outcome: settled, next: following };
    });
    if (outcome !== null) this.metrics.page(outcome);
    if (page !== null) this.report(page.reading);
    return next;
  }

  private async apply(
    tx: Tx,
    read: WaitingRead,
    page: ReadPage | null,
  ): Promise<PageOutcome | null> {
    const { pageId, failures } = read;
    const changes = await this.changes.of(tx, [pageId]);
    if (page === null && failures + 1 < MAX_FAILURES) {
      await this.reads.postpone(tx, pageId, { ownFailures: 1 });
      return null;
    }
    // The known assignees' boards may be wrong now and are marked; the sweep finds other boards.
    const outcome = outcomeOf(changes, pageId, page?.reading ?? { kind: 'refused' });
    await this.changes.store(tx, changes);
    await this.reads.end(tx, read);
    if (page?.reading.kind === 'ours' && page.properties !== null) {
      await this.changes.learn(tx, page.properties);
    }
    return outcome;
  }

  private report(reading: Reading): void {
    if (reading.kind === 'ours') this.health.assigneesAreRead();
    if (reading.kind !== 'unreadable') return;
    const why = describeProblem(reading.problem);
    this.health.failed(
      'assignee',
      `Assignees cannot be read, so it is unknown whose board has changed. ${why}`,
    );
  }
}

function outcomeOf(changes: ChangeSet, pageId: string, reading: Reading): PageOutcome {
  switch (reading.kind) {
    case 'ours':
      return changes.belongsTo(pageId, reading.assigneeIds);
    case 'trashed':
      changes.left(pageId, reading.assigneeIds);
      return 'trash';
    case 'gone':
    case 'elsewhere':
      changes.left(pageId);
      return reading.kind;
    case 'unreadable':
      changes.changed(pageId);
      return 'unreadable';
    case 'unclear':
    case 'refused':
      changes.changed(pageId);
      return 'refused';
  }
}
