import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import {
  NotionApi,
  type PageFilter,
  type PageSorts,
  type QueriedPages,
  type RelatedPages,
} from '../api/notion-api';
import { type BoardSchema, type PropertyNames, describeProblems } from '../board/board-schema';
import type { NotionCalls } from '../api/notion-calls';
import { NotionNotFoundError, NotionRefusedError } from '../api/errors';
import {
  type BoardPage,
  type BoardTask,
  idOfCutBlockers,
  readBoard,
  withBlockers,
} from '../board/board-tasks';
import { BoardSchemas } from './board-schemas';

/**
 * Reads one person's board completely or not at all. The query of a large board pauses for others
 * (`isAnotherReady`); its results are kept in memory, for one board at most.
 */
@Injectable()
export class BoardReader {
  private paused: BoardQuery | null = null;

  constructor(
    private readonly api: NotionApi,
    private readonly schemas: BoardSchemas,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /**
   * The first pages of a board before its run begins; null: this board cannot be read ahead. Throws as
   * NotionApi does.
   */
  async readAhead(calls: NotionCalls, userId: string): Promise<BoardQuery | null> {
    const { known } = this.schemas;
    if (known === null || this.paused?.userId === userId) return null;
    const query = await this.more(calls, { ...this.fresh(userId, known), mayPause: true });
    return typeof query === 'string' ? null : query;
  }

  /** `ahead` is the result of `readAhead`. Throws the peer's failures, as NotionApi does. */
  async read(
    calls: NotionCalls,
    userId: string,
    isAnotherReady = NEVER,
    ahead: BoardQuery | null = null,
  ): Promise<BoardRead> {
    const { known } = this.schemas;
    if (known !== null) {
      const query = ahead?.schema === known ? ahead : this.begin(userId, known);
      const read = await this.readBy(calls, query, isAnotherReady);
      if (isBelievable(read, known)) return read;
      // The cached schema may be outdated; only a fresh one decides.
      this.schemas.drop();
    }
    return this.readAnew(calls, userId, isAnotherReady);
  }

  /** Continues a paused query unless it is too old or has another schema. */
  private begin(userId: string, schema: BoardSchema): BoardQuery {
    const { paused } = this;
    const fresh = this.fresh(userId, schema);
    if (paused?.userId !== userId) return { ...fresh, mayPause: true };
    this.paused = null;
    const isYoung = fresh.begunMs - paused.begunMs <= MOST_MS && paused.schema === schema;
    return isYoung ? { ...paused, isResumed: true } : { ...fresh, mayPause: false };
  }

  private fresh(userId: string, schema: BoardSchema): Omit<BoardQuery, 'mayPause'> {
    const begunMs = this.clock.monotonicMs();
    const nothing = { found: [], cursor: null, relationReads: 0, isWhole: false, isResumed: false };
    return { userId, schema, begunMs, ...nothing };
  }

  private async readAnew(
    calls: NotionCalls,
    userId: string,
    isAnotherReady: () => Promise<boolean>,
  ): Promise<BoardRead> {
    try {
      const schema = await this.readSchema(calls);
      const problem = describeProblems(schema.problems);
      if (problem !== null) return refused(problem);
      const read = await this.readBy(calls, this.begin(userId, schema), isAnotherReady);
      if (read.kind === 'refused') this.schemas.drop();
      return read;
    } catch (error) {
      return refused(this.reasonOf(error));
    }
  }

  private async readSchema(calls: NotionCalls): Promise<BoardSchema> {
    try {
      return await this.schemas.read(calls);
    } catch (error) {
      this.schemas.missing(this.reasonOf(error));
      throw error;
    }
  }

  private async readBy(
    calls: NotionCalls,
    query: BoardQuery,
    isAnotherReady: () => Promise<boolean>,
  ): Promise<BoardRead> {
    try {
      const pages = await this.query(calls, query, isAnotherReady);
      if (pages === 'incomplete') return refused(INCOMPLETE);
      if (pages === 'too_long') return refused(TOO_LONG);
      if (pages === 'paused') return { kind: 'paused' };
      return this.understood(pages, query);
    } catch (error) {
      return refused(this.reasonOf(error));
    }
  }

  private understood(pages: readonly BoardPage[], query: BoardQuery): BoardRead {
    const { begunMs, isResumed } = query;
    const { closedStatusIds } = query.schema;
    const reading = { ...this.settings.notionBoard, closedStatusIds };
    const { tasks, problems } = readBoard(pages, reading);
    const problem = describeProblems(problems);
    if (problem !== null) return refused(problem, pages.length);
    return { kind: 'board', tasks, begunMs, isResumed };
  }

  /** Reads all batches, unless Notion withholds some or another board waits. */
  private async query(
    calls: NotionCalls,
    begun: BoardQuery,
    isAnotherReady: () => Promise<boolean>,
  ): Promise<readonly BoardPage[] | 'incomplete' | 'too_long' | 'paused'> {
    let query = begun;
    for (let made = 0; !query.isWhole; made += 1) {
      if (query.mayPause && made >= FEW && (await isAnotherReady())) {
        this.paused = query;
        return 'paused';
      }
      const next = await this.more(calls, query);
      if (typeof next === 'string') return next;
      query = next;
    }
    return query.found;
  }

  /** Reads one more batch. */
  private async more(
    calls: NotionCalls,
    query: BoardQuery,
  ): Promise<BoardQuery | 'incomplete' | 'too_long'> {
    const { notionSync, notionBoard } = this.settings;
    const { userId, schema, cursor, found } = query;
    const batch: QueriedPages = await calls.make((holder) =>
      this.api.queryDataSource(holder, {
        dataSourceId: notionSync.dataSourceId,
        filter: boardFilterOf(userId, schema, notionBoard.names),
        sorts: OLDEST_FIRST,
        propertyIds: schema.propertyIds,
        cursor,
      }),
    );
    if (!batch.isComplete) return 'incomplete';
    const { nextCursor } = batch;
    const read = await this.whole(calls, batch.pages, query.relationReads);
    if (read === 'too_long') return read;
    return {
      ...query,
      relationReads: read.relationReads,
      found: [...found, ...read.pages],
      cursor: nextCursor,
      isWhole: nextCursor === null,
    };
  }

  /** The pages with all their blockers, of which a page itself shows the first 25. */
  private async whole(
    calls: NotionCalls,
    found: readonly BoardPage[],
    readBefore: number,
  ): Promise<{ pages: readonly BoardPage[]; relationReads: number } | 'too_long'> {
    const { names } = this.settings.notionBoard;
    const pages: BoardPage[] = [];
    let relationReads = readBefore;
    for (const page of found) {
      const propertyId = idOfCutBlockers(page, names);
      if (propertyId === null) {
        pages.push(page);
        continue;
      }
      const most = MOST_RELATION_READS - relationReads;
      const parts = await this.relatedPages(calls, { pageId: page.id, propertyId }, most);
      if (parts === 'too_long') return parts;
      relationReads += parts.length;
      pages.push(withBlockers(page, names, parts.flat()));
    }
    return { pages, relationReads };
  }

  /** The ids of all entries, one list for each call. */
  private async relatedPages(
    calls: NotionCalls,
    relation: { pageId: string; propertyId: string },
    most: number,
  ): Promise<(readonly string[])[] | 'too_long'> {
    const parts: (readonly string[])[] = [];
    let cursor: string | null = null;
    do {
      if (parts.length >= most) return 'too_long';
      const from: string | null = cursor;
      const { pageIds, nextCursor }: RelatedPages = await calls.make((holder) =>
        this.api.relatedPages(holder, { ...relation, cursor: from }),
      );
      parts.push(pageIds);
      cursor = nextCursor;
    } while (cursor !== null);
    return parts;
  }

  /** Throws errors that do not concern this board alone. */
  private reasonOf(error: unknown): string {
    if (error instanceof NotionNotFoundError) {
      const { dataSourceId } = this.settings.notionSync;
      return `The data source ${dataSourceId} is gone, or not shared with the integration.`;
    }
    if (error instanceof NotionRefusedError) return `${error.message}.`;
    throw error;
  }
}

/** An order that no edit changes between two batches. */
export const OLDEST_FIRST: PageSorts = [{ timestamp: 'created_time', direction: 'ascending' }];
const INCOMPLETE =
  "Notion does not return all of this person's open tasks; an incomplete board is not ranked.";

/** Reads of long relations in one query, which other boards wait for. */
const MOST_RELATION_READS = 50;
const TOO_LONG = `This person's tasks have too many relations of more than 25 entries: a run reads ${String(MOST_RELATION_READS)} parts of them at most, and a board with a part of them is not ranked.`;
/** While another board waits, a query is paused after this many calls. */
const FEW = 10;
/** A paused query that is older than this starts again, and is not paused again. */
const MOST_MS = 60_000;
const NEVER = (): Promise<boolean> => Promise.resolve(false);

/** A query of a board and its results so far. */
export interface BoardQuery {
  readonly userId: string;
  readonly schema: BoardSchema;
  readonly begunMs: number;
  readonly found: readonly BoardPage[];
  readonly cursor: string | null;
  /** Reads of relations that are longer than a page of Notion shows them. */
  readonly relationReads: number;
  /** The query is complete. */
  readonly isWhole: boolean;
  readonly isResumed: boolean;
  readonly mayPause: boolean;
}

/**
 * A person's open tasks and the tasks that should not show a rank (`boardFilterOf`), or why the board
 * cannot be ranked, as a sentence for an operator.
 */
export type BoardRead =
  | {
      readonly kind: 'board';
      readonly tasks: readonly BoardTask[];
      /** The monotonic time at which its query began. */
      readonly begunMs: number;
      /** An earlier run has read a part of it. */
      readonly isResumed: boolean;
    }
  /** Paused for another board; the next run of this process continues here. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'refused'; readonly loaded: number; readonly reason: string };

/**
 * The filter of a run's query: one person's open tasks, and tasks that show a rank but are on no board:
 * that person's closed ones and unassigned ones. Notion filters statuses by name; a task without a
 * status is open.
 */
export function boardFilterOf(
  userId: string,
  { statuses }: BoardSchema,
  names: PropertyNames,
): PageFilter {
  const isTheirs = { property: names.assignee, people: { contains: userId } };
  const isNobodys = { property: names.assignee, people: { is_empty: true as const } };
  const hasRank = { property: names.queueRank, number: { is_not_empty: true as const } };
  const closed = statuses.filter(({ isClosed }) => isClosed);
  const isOpen = closed.map(({ name }) => ({
    property: names.status,
    status: { does_not_equal: name },
  }));
  return {
    or: [
      { and: [isTheirs, ...isOpen] },
      { and: [isTheirs, hasRank] },
      { and: [isNobodys, hasRank] },
    ],
  };
}

function refused(reason: string, loaded = 0): BoardRead {
  return { kind: 'refused', reason, loaded };
}

/** A status that is missing from the schema is new or renamed, and may mean closed. */
function isBelievable(read: BoardRead, { statuses }: BoardSchema): boolean {
  if (read.kind === 'refused') return read.reason === INCOMPLETE || read.reason === TOO_LONG;
  if (read.kind === 'paused') return true;
  const known = new Set(statuses.map(({ name }) => name));
  return read.tasks.every(({ status }) => status === null || known.has(status));
}
