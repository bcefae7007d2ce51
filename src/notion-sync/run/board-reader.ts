import { Injectable } from '@nestjs/common';
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
  | { readonly kind: 'board'; readonly tasks: readonly BoardTask[] }
  | { readonly kind: 'refused'; readonly loaded: number; readonly reason: string };

const INCOMPLETE =
  "Notion does not give out all of this person's open tasks; a part of a board is not ranked.";

/** Reads one person's board: what Notion has of it, or nothing. */
@Injectable()
export class BoardReader {
  constructor(
    private readonly api: NotionApi,
    private readonly schemas: BoardSchemas,
    private readonly settings: Settings,
  ) {}

  /** Throws the peer's failures, as NotionApi does. */
  async read(calls: RunCalls, userId: string): Promise<BoardRead> {
    const { known } = this.schemas;
    if (known !== null) {
      const read = await this.readBy(known, calls, userId);
      if (isBelievable(read, known)) return read;
      // The boards may have changed since: only what a fresh schema says is final.
      this.schemas.drop();
    }
    return this.readAnew(calls, userId);
  }

  private async readAnew(calls: RunCalls, userId: string): Promise<BoardRead> {
    try {
      const schema = await this.schemas.read(calls);
      if (schema.problems.length > 0) return refused(sentenceOf(schema.problems));
      const read = await this.readBy(schema, calls, userId);
      if (read.kind === 'refused') this.schemas.drop();
      return read;
    } catch (error) {
      return refused(this.reasonOf(error));
    }
  }

  private async readBy(schema: BoardSchema, calls: RunCalls, userId: string): Promise<BoardRead> {
    try {
      const pages = await this.query(schema, calls, userId);
      return pages === null ? refused(INCOMPLETE) : this.understood(pages, schema);
    } catch (error) {
      return refused(this.reasonOf(error));
    }
  }

  private understood(pages: readonly BoardPage[], schema: BoardSchema): BoardRead {
    const { closedStatusIds } = schema;
    const reading = { ...this.settings.notionBoard, closedStatusIds };
    const { tasks, problems } = readBoard(pages, reading);
    if (problems.length > 0) return refused(sentenceOf(problems), pages.length);
    return { kind: 'board', tasks };
  }

  /** All batches; null when Notion keeps some to itself. */
  private async query(
    schema: BoardSchema,
    calls: RunCalls,
    userId: string,
  ): Promise<BoardPage[] | null> {
    const { notionSync, notionBoard } = this.settings;
    const query = {
      dataSourceId: notionSync.dataSourceId,
      filter: boardFilterOf(userId, schema, notionBoard.names),
      sorts: OLDEST_FIRST,
      propertyIds: schema.propertyIds,
    };
    const found: BoardPage[] = [];
    for (let cursor: string | null = null; ;) {
      const from: string | null = cursor;
      const batch: QueriedPages = await calls.make((holder) =>
        this.api.queryDataSource(holder, { ...query, cursor: from }),
      );
      if (!batch.isComplete) return null;
      found.push(...batch.pages);
      if (batch.nextCursor === null) return found;
      cursor = batch.nextCursor;
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
  const known = new Set(statuses.map(({ name }) => name));
  return read.tasks.every(({ status }) => status === null || known.has(status));
}
