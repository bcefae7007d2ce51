import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { NotionApi } from '../api/notion-api';
import { type BoardSchema, readSchema, describeProblems } from '../board/board-schema';
import type { NotionCalls } from '../api/notion-calls';
import { BoardHealth } from './board-health';

/**
 * Caches the schema of the boards, to save a call per run. A schema with problems is not cached, so that
 * a repaired board is ranked at once.
 */
@Injectable()
export class BoardSchemas {
  private kept: { readonly schema: BoardSchema; readonly atMs: number } | null = null;

  constructor(
    private readonly api: NotionApi,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly health: BoardHealth,
  ) {}

  /** Null: none that is recent enough. */
  get known(): BoardSchema | null {
    if (this.kept === null || this.clock.monotonicMs() - this.kept.atMs > MAX_AGE_MS) return null;
    return this.kept.schema;
  }

  /** Throws as NotionApi does. */
  async read(calls: NotionCalls): Promise<BoardSchema> {
    const { notionSync, notionBoard } = this.settings;
    const { properties } = await calls.make((holder) =>
      this.api.retrieveDataSource(holder, notionSync.dataSourceId),
    );
    const schema = readSchema(properties, notionBoard.names);
    this.health.seen(describeProblems(schema.problems));
    this.kept = schema.problems.length > 0 ? null : { schema, atMs: this.clock.monotonicMs() };
    return schema;
  }

  /** Notion does not return it. */
  missing(reason: string): void {
    this.health.seen(reason);
  }

  /** Forgets it, because it differs from Notion's. */
  drop(): void {
    this.kept = null;
  }
}

/** The schema is read again after this time, because a status may move to another group unnoticed. */
const MAX_AGE_MS = 600_000;
