import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { NotionNotFoundError, NotionRefusedError } from '../api/errors';
import { NotionApi, type QueriedPages } from '../api/notion-api';
import {
  type BoardPage,
  type BoardSchema,
  type BoardTask,
  type PropertyProblem,
  describeProblem,
  readBoard,
} from '../board';
import { BoardSchemas } from './board-schemas';
import { OLDEST_FIRST, boardFilterOf } from './open-tasks';
import type { RunCalls } from './run-calls';

/**
 * A person's open tasks, and tasks that show a rank and should not (`boardFilterOf`); or why the
 * board cannot be ranked, in a sentence for an operator.
 */
export type BoardRead =
  | {
      readonly kind: 'board';
      readonly tasks: readonly BoardTask[];
      /** When its query began, by the clock that never jumps. */
      readonly begunMs: number;
      /** A part of it was read by an earlier run. */
      readonly isResumed: boolean;
    }
  /** Another board waits; the next run of this process goes on where this one has come to. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'refused'; readonly loaded: number; readonly reason: string };

const INCOMPLETE =
  "Notion does not give out all of this person's open tasks; a part of a board is not ranked.";

/** A query of a board, and what it has given so far. */
interface BoardQuery {
  readonly userId: string;
  readonly schema: BoardSchema;
  readonly begunMs: number;
  readonly found: readonly BoardPage[];
  readonly cursor: string | null;
  readonly isResumed: boolean;
  readonly mayPause: boolean;
}

/** While another board waits: so many calls of a query, then it is paused. */
const FEW = 10;
/** A query that began longer ago when it could go on begins anew, and is not paused again. */
const MOST_MS = 60_000;
const NEVER = (): Promise<boolean> => Promise.resolve(false);

/**
 * Reads one person's board: what Notion has of it, or nothing. The query of a large board lets others
 * pass (`isAnotherReady`): what it has given is kept in memory, of one board at most.
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

  /** Throws the peer's failures, as NotionApi does. */
  async read(calls: RunCalls, userId: string, isAnotherReady = NEVER): Promise<BoardRead> {
    const { known } = this.schemas;
    if (known !== null) {
      const read = await this.readBy(calls, this.begin(userId, known), isAnotherReady);
      if (isBelievable(read, known)) return read;
      // The boards may have changed since: only what a fresh schema says is final.
      this.schemas.drop();
    }
    return this.readAnew(calls, userId, isAnotherReady);
  }

  /** A query that is paused goes on, unless it is too old, or of another schema. */
  private begin(userId: string, schema: BoardSchema): BoardQuery {
    const { paused } = this;
    const begunMs = this.clock.monotonicMs();
    const fresh = { userId, schema, begunMs, found: [], cursor: null, isResumed: false };
    if (paused?.userId !== userId) return { ...fresh, mayPause: true };
    this.paused = null;
    const isYoung = begunMs - paused.begunMs <= MOST_MS && paused.schema === schema;
    return isYoung ? { ...paused, isResumed: true } : { ...fresh, mayPause: false };
  }

  private async readAnew(
    calls: RunCalls,
    userId: string,
    isAnotherReady: () => Promise<boolean>,
  ): Promise<BoardRead> {
    try {
      const schema = await this.schemas.read(calls);
      if (schema.problems.length > 0) return refused(sentenceOf(schema.problems));
      const read = await this.readBy(calls, this.begin(userId, schema), isAnotherReady);
      if (read.kind === 'refused') this.schemas.drop();
      return read;
    } catch (error) {
      return refused(this.reasonOf(error));
    }
  }

  private async readBy(
    calls: RunCalls,
    query: BoardQuery,
    isAnotherReady: () => Promise<boolean>,
  ): Promise<BoardRead> {
    try {
      const pages = await this.query(calls, query, isAnotherReady);
      if (pages === 'incomplete') return refused(INCOMPLETE);
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
    if (problems.length > 0) return refused(sentenceOf(problems), pages.length);
    return { kind: 'board', tasks, begunMs, isResumed };
  }

  /** All batches, unless Notion keeps some to itself or another board waits. */
  private async query(
    calls: RunCalls,
    begun: BoardQuery,
    isAnotherReady: () => Promise<boolean>,
  ): Promise<BoardPage[] | 'incomplete' | 'paused'> {
    const { notionSync, notionBoard } = this.settings;
    const { userId, schema, mayPause } = begun;
    const query = {
      dataSourceId: notionSync.dataSourceId,
      filter: boardFilterOf(userId, schema, notionBoard.names),
      sorts: OLDEST_FIRST,
      propertyIds: schema.propertyIds,
    };
    const found = [...begun.found];
    let { cursor } = begun;
    for (let made = 1; ; made += 1) {
      const from: string | null = cursor;
      const batch: QueriedPages = await calls.make((holder) =>
        this.api.queryDataSource(holder, { ...query, cursor: from }),
      );
      if (!batch.isComplete) return 'incomplete';
      found.push(...batch.pages);
      if (batch.nextCursor === null) return found;
      cursor = batch.nextCursor;
      if (mayPause && made >= FEW && (await isAnotherReady())) {
        this.paused = { ...begun, found, cursor };
        return 'paused';
      }
    }
  }

  /** Throws whatever is no answer to this very board. */
  private reasonOf(error: unknown): string {
    if (error instanceof NotionNotFoundError) {
      const { dataSourceId } = this.settings.notionSync;
      return `The data source ${dataSourceId} is gone, or not shared with the integration.`;
    }
    if (error instanceof NotionRefusedError) return `${error.message}.`;
    throw error;
  }
}

function refused(reason: string, loaded = 0): BoardRead {
  return { kind: 'refused', reason, loaded };
}

function sentenceOf(problems: readonly PropertyProblem[]): string {
  return problems.map(describeProblem).join(' ');
}

/** A status that the schema does not know is new, or renamed, and perhaps closed. */
function isBelievable(read: BoardRead, { statuses }: BoardSchema): boolean {
  if (read.kind === 'refused') return read.reason === INCOMPLETE;
  if (read.kind === 'paused') return true;
  const known = new Set(statuses.map(({ name }) => name));
  return read.tasks.every(({ status }) => status === null || known.has(status));
}
