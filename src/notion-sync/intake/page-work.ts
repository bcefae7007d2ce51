import type { PageObjectResponse } from '@notionhq/client';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../../common/config';
import { describeError } from '../../common/errors';
import { type Tx, type UnitOfWork, UnitsOfWork } from '../../common/uow';
import { type Claim, type DeadTask, type TaskFlow, TaskWorker, Tasks } from '../../tasks';
import { NotionNotFoundError, NotionRefusedError } from '../api/errors';
import { NotionApi } from '../api/notion-api';
import { NotionRetries } from '../api/notion-retries';
import { describeProblem } from '../board';
import { EventLane, type EventWork } from '../events';
import { IntakeCondition } from './intake-condition';
import { IntakeMetrics, type PageOutcome } from './intake-metrics';
import { PageChanges } from './page-changes';
import { type PageReading, readPage } from './read-page';

/** What Notion answered: the page, or that it will not show it to us. */
type Answer = PageReading | { readonly kind: 'gone' } | { readonly kind: 'refused' };

/**
 * The work of `page:<id>` in the lane `notion-event`: something about the page has changed.
 *
 *   one permitted read, no connection held ─> notion.event: whose boards, what is remembered, the end
 *
 * It reads the page as it is now, so it does not matter what the event was, or how many there were.
 * Nothing that a page may be makes it fail: only Notion being away, which costs the task nothing.
 */
@Injectable()
export class PageWork implements EventWork, OnModuleInit {
  readonly prefix = 'page';
  private readonly logger = new Logger('NotionWebhook');
  private readonly board;

  constructor(
    settings: Settings,
    private readonly lane: EventLane,
    private readonly api: NotionApi,
    private readonly retries: NotionRetries,
    private readonly units: UnitsOfWork,
    private readonly tasks: Tasks,
    private readonly worker: TaskWorker,
    private readonly changes: PageChanges,
    private readonly condition: IntakeCondition,
    private readonly metrics: IntakeMetrics,
  ) {
    const { dataSourceId } = settings.notionSync;
    this.board = { dataSourceId, names: settings.notionBoard.names };
  }

  onModuleInit(): void {
    this.lane.register(this);
  }

  async run(claim: Claim, flow: TaskFlow): Promise<void> {
    const pageId = pageIdOf(claim);
    const answer = await this.ask(pageId, claim, flow);
    flow.peerAnswered();
    const outcome = await this.units.run('notion-event', (uow) =>
      this.settle(uow, claim, pageId, answer),
    );
    this.metrics.page(outcome);
    this.tell(pageId, answer);
    this.worker.poke('notion-sync');
  }

  /** Those who had it may have a board that is not right; the others are found by the sweep. */
  async onDead(tx: Tx, task: DeadTask): Promise<void> {
    await this.changes.changed(tx, pageIdOf(task));
  }

  /** Throws PeerUnavailableError, LeaseLostError, and the reason of the flow's signal. */
  private async ask(pageId: string, claim: Claim, flow: TaskFlow): Promise<Answer> {
    const { signal } = flow;
    const fence = (tx: Tx): Promise<void> => this.tasks.fence(tx, claim);
    try {
      const page = await this.retries.withRetries(
        () => {
          flow.assertLease();
          return this.api.retrievePage({ signal, fence }, pageId);
        },
        { signal },
      );
      return this.readingOf(page);
    } catch (error) {
      if (error instanceof NotionNotFoundError) return { kind: 'gone' };
      if (!(error instanceof NotionRefusedError)) throw error;
      this.logger.warn(`the page ${pageId} cannot be read: ${describeError(error)}`);
      return { kind: 'refused' };
    }
  }

  private readingOf(page: PageObjectResponse): Answer {
    return readPage(page, this.board)?.reading ?? { kind: 'refused' };
  }

  private settle(
    uow: UnitOfWork,
    claim: Claim,
    pageId: string,
    answer: Answer,
  ): Promise<PageOutcome> {
    return uow.commit('notion.event', async (tx) => {
      await this.tasks.fence(tx, claim);
      const outcome = await this.apply(tx, pageId, answer);
      await this.tasks.complete(tx, claim);
      return outcome;
    });
  }

  private async apply(tx: Tx, pageId: string, answer: Answer): Promise<PageOutcome> {
    switch (answer.kind) {
      case 'ours':
        return this.changes.belongsTo(tx, pageId, answer.assigneeIds);
      case 'trashed':
        await this.changes.left(tx, pageId, answer.assigneeIds);
        return 'trash';
      case 'gone':
        await this.changes.left(tx, pageId);
        return 'gone';
      case 'elsewhere':
        await this.changes.left(tx, pageId);
        return 'elsewhere';
      case 'unreadable':
        await this.changes.changed(tx, pageId);
        return 'unreadable';
      case 'unclear':
      case 'refused':
        await this.changes.changed(tx, pageId);
        return 'refused';
    }
  }

  private tell(pageId: string, answer: Answer): void {
    if (answer.kind === 'ours') this.condition.assigneesAreRead();
    if (answer.kind !== 'unreadable') return;
    const why = describeProblem(answer.problem);
    this.condition.troubled('assignee', `Nobody knows whose board has changed. ${why}`);
  }
}

function pageIdOf({ key }: Claim): string {
  return key.slice(key.indexOf(':') + 1);
}
