import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ColloquyError } from '../../../common/errors';
import { type UnitOfWork, UnitOfWorkFactory, closeRequestUnit } from '../../../common/uow';
import {
  type ImportProgress,
  ImportUnknownError,
  InvitationImports,
  type ShownRow,
  progressOf,
} from '../../../invitations';
import { eventFrame } from './event-frames';
import { lastIdOf } from './event-streams';
import { OpenStreams, type SseResponse, type StreamReaders } from './sse-response';

/**
 * Streams what becomes of an import's rows, in their order:
 *
 *   progress ─> row, row, … ─> progress ─> … ─> finish, and the stream ends
 *
 * A `row` has its number as its id. A reader that comes back with it goes on after that row. Rows get their
 * fates in their order, so that none is missing before a number that was sent.
 */
@Injectable()
export class ImportStreams {
  private readonly logger = new Logger('Events');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly imports: InvitationImports,
    private readonly streams: OpenStreams,
  ) {}

  stream(request: FastifyRequest, reply: FastifyReply, id: string): SseResponse {
    const after = rowOf(lastIdOf(request));
    const response = this.streams.open(reply, readersOf(id));
    // The stream has a unit of its own.
    closeRequestUnit(request);
    void this.run(response, id, after);
    return response;
  }

  private async run(response: SseResponse, id: string, after: number): Promise<void> {
    const uow = this.units.open('invitation_import.events');
    try {
      await this.send(response, uow, { id, after });
    } catch (error) {
      this.endAfter(error, response);
    } finally {
      uow.close();
    }
  }

  private async send(
    response: SseResponse,
    uow: UnitOfWork,
    from: { readonly id: string; readonly after: number },
  ): Promise<void> {
    response.wakeSignal.rereadAfterMs = REREAD_AFTER_MS;
    let { after } = from;
    let told = '';
    while (!response.isClosed) {
      const { progress, rows, readTo } = await this.read(uow, from.id, after);
      const json = JSON.stringify(progress);
      const isLast = progress.state === 'finished' && rows.length < ROWS;
      if (json !== told && !isLast) response.write(eventFrame('progress', progress));
      told = json;
      response.write(rows.map((row) => eventFrame('row', row, String(row.row))).join(''));
      after = readTo;
      if (isLast) {
        response.write(eventFrame('finish', progress));
        response.end();
        return;
      }
      await response.drained();
      if (rows.length < ROWS) await response.wakeSignal.wait();
    }
  }

  private read(uow: UnitOfWork, id: string, after: number): Promise<Read> {
    return uow.commit('invitation_import.events', async (tx) => {
      const found = await this.imports.get(tx, id, null);
      const { settledTo } = found;
      const progress = progressOf(found);
      if (after >= settledTo) return { progress, rows: [], readTo: after };
      const wanted = { after, upTo: settledTo, limit: ROWS };
      const rows = await this.imports.rows(tx, found, wanted);
      const last = rows.at(-1)?.row ?? settledTo;
      return { progress, rows, readTo: rows.length < ROWS ? settledTo : last };
    });
  }

  private endAfter(error: unknown, response: SseResponse): void {
    if (error instanceof ImportUnknownError) {
      response.write(eventFrame('ended', { reason: 'deleted' }));
      response.end();
      return;
    }
    // Cut off and not ended, so that the client reconnects and gets the rest.
    response.destroy();
    if (error instanceof ColloquyError && error.retryable) return;
    this.logger.error('could not stream an import; the client reconnects', error);
  }
}

/** Rows of one read. */
const ROWS = 200;
/** Portions are stored about as often. */
const REREAD_AFTER_MS = 1000;

/** What one read has found. */
interface Read {
  readonly progress: ImportProgress;
  readonly rows: readonly ShownRow[];
  /** The number of the last row that has been read, or of the last one that has its fate. */
  readonly readTo: number;
}

export function readersOf(id: string): StreamReaders {
  return `watchers of import ${id}`;
}

/** Any other id says nothing: the reader gets all rows. */
function rowOf(lastId: string | undefined): number {
  return /^\d{1,5}$/.test(lastId ?? '') ? Number(lastId) : 0;
}
