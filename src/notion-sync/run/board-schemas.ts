import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { NotionApi } from '../api/notion-api';
import { type BoardSchema, readSchema } from '../board/read-schema';
import type { NotionCalls } from './run-calls';

/** A status may move to another group, of which nothing else tells. */
const MAX_AGE_MS = 600_000;

/**
 * The schema of the boards, as last read: a call for each run would be wasted. One with problems is
 * not kept, so that a board that was mended is ranked at once.
 */
@Injectable()
export class BoardSchemas {
  private kept: { readonly schema: BoardSchema; readonly atMs: number } | null = null;

  constructor(
    private readonly api: NotionApi,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** Null: none that is young enough. */
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
    this.kept = schema.problems.length > 0 ? null : { schema, atMs: this.clock.monotonicMs() };
    return schema;
  }

  /** It is not, or not any more, what Notion has. */
  drop(): void {
    this.kept = null;
  }
}
