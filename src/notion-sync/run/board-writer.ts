import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../common/config';
import { NotionApi } from '../api/notion-api';
import type { PageWrite } from '../diff/page-writes';
import type { BoardFlow } from './board-run';
import { BoardSchemas } from './board-schemas';
import { BoardWriting, type WriteEnd } from './board-writing';
import type { NotionCalls } from './run-calls';

/** Writes what differs on one board: the top first, a chunk at most, less while another board waits. */
@Injectable()
export class BoardWriter {
  private readonly logger = new Logger('Notion');

  constructor(
    private readonly api: NotionApi,
    private readonly schemas: BoardSchemas,
    private readonly settings: Settings,
  ) {}

  /** Throws the peer's failures, as NotionApi does; no call is under way then any more. */
  write(
    calls: NotionCalls,
    writes: readonly PageWrite[],
    turn: Pick<BoardFlow, 'isAnotherReady'> & {
      readonly onAllBooked: () => void;
      readonly stored: Promise<unknown>;
    },
  ): Promise<WriteEnd> {
    const { api, schemas, logger } = this;
    const { chunkSize } = this.settings.notionBoard;
    const writing = new BoardWriting({ api, schemas, logger, calls, chunkSize, ...turn });
    return writing.end(writes);
  }
}
