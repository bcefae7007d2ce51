import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../../common/config';
import { type Tx, type UnitOfWork, UnitsOfWork } from '../../common/uow';
import { type Claim, type TaskFlow, Tasks } from '../../tasks';
import { NotionNotFoundError, NotionRefusedError } from '../api/errors';
import { NotionApi, type QueriedPages } from '../api/notion-api';
import { NotionRetries } from '../api/notion-retries';
import { PropertyReader } from '../board/read-property';
import { EventLane, type EventWork } from '../events';
import { SweepTable } from './sweep-table';

const PREFIX = 'walk';

/** A data source has one walk. */
export function walkKeyOf(dataSourceId: string): string {
  return `${PREFIX}:${dataSourceId}`;
}

/**
 * Walks through all assigned pages of the data source, a hundred with each call, and remembers
 * whose they are. A task makes one call and opens the next:
 *
 *   begin (paid for) ─> query, no connection held ─> remember, move on ─> begin … ─> forget the rest
 *
 * Where it has come to is in the database; after a crash it repeats one call.
 */
@Injectable()
export class BoardWalk implements EventWork, OnModuleInit {
  readonly prefix = PREFIX;
  private readonly logger = new Logger('NotionSync');
  private readonly settings;
  private readonly names;

  constructor(
    settings: Settings,
    private readonly lane: EventLane,
    private readonly units: UnitsOfWork,
    private readonly tasks: Tasks,
    private readonly api: NotionApi,
    private readonly retries: NotionRetries,
    private readonly table: SweepTable,
  ) {
    this.settings = settings.notionSync;
    this.names = settings.notionBoard.names;
  }

  onModuleInit(): void {
    this.lane.register(this);
  }

  async run(claim: Claim, flow: TaskFlow): Promise<void> {
    await this.units.run('notion-walk', async (uow) => {
      if (this.isOver(claim)) {
        await uow.commit('notion.walk-over', (tx) => this.tasks.complete(tx, claim));
        return;
      }
      const cursor = await uow.commit('notion.walk-begin', (tx) => this.begin(tx, claim));
      const found = await this.query(claim, flow, cursor);
      await this.store(uow, claim, found);
    });
  }

  /** The sweep begins another walk when the time has come. */
  async onDead(tx: Tx): Promise<void> {
    await this.table.move(tx, { cursor: null, isComplete: false });
  }

  /** Switched off, or of a data source that is not ours any more. */
  private isOver({ key }: Claim): boolean {
    const { sweepShare, dataSourceId } = this.settings;
    return sweepShare === 0 || key !== walkKeyOf(dataSourceId);
  }

  private async begin(tx: Tx, claim: Claim): Promise<string | null> {
    await this.tasks.fence(tx, claim);
    const cursor = await this.table.step(tx);
    if (cursor === null) await this.table.addPeopleOfPages(tx);
    return cursor;
  }

  /** Null: Notion does not answer this query, or not from there on. */
  private async query(
    claim: Claim,
    flow: TaskFlow,
    cursor: string | null,
  ): Promise<QueriedPages | null> {
    const { signal } = flow;
    const holder = { signal, fence: (tx: Tx) => this.tasks.fence(tx, claim) };
    try {
      const found = await this.retries.withRetries(
        () => {
          flow.assertLease();
          return this.api.queryDataSource(holder, {
            dataSourceId: this.settings.dataSourceId,
            filter: { property: this.names.assignee, people: { is_not_empty: true } },
            sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
            cursor,
          });
        },
        { signal },
      );
      flow.peerAnswered();
      return found;
    } catch (error) {
      if (!(error instanceof NotionRefusedError || error instanceof NotionNotFoundError))
        throw error;
      flow.peerAnswered();
      const what =
        cursor === null ? 'the boards cannot be walked through' : 'the walk was cut short';
      this.logger.warn(`${what}: ${error.message}`);
      return null;
    }
  }

  private async store(uow: UnitOfWork, claim: Claim, found: QueriedPages | null): Promise<void> {
    await uow.commit('notion.walk', async (tx) => {
      await this.tasks.fence(tx, claim);
      await this.table.waitForLock(tx);
      if (found !== null) await this.table.remember(tx, this.pagesOf(found));
      const { nextCursor = null, isComplete = false } = found ?? {};
      const { isWhole, waitMs } = await this.table.move(tx, { cursor: nextCursor, isComplete });
      if (nextCursor === null && isWhole) await this.table.forgetUnseen(tx);
      const dueInMs = nextCursor === null ? this.settings.sweepIntervalMs : waitMs;
      await this.tasks.upsert(tx, { lane: 'notion-event', key: claim.key, dueInMs });
      await this.tasks.complete(tx, claim);
    });
  }

  private pagesOf({ pages }: QueriedPages) {
    return pages.flatMap(({ id, properties }) => {
      const people = new PropertyReader(properties, this.names).value('assignee')?.people;
      return people === undefined
        ? []
        : [{ pageId: id, assigneeIds: [...new Set(people.map((person) => person.id))] }];
    });
  }
}
