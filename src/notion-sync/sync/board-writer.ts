import {
  NotionConflictError,
  NotionNotFoundError,
  NotionRefusedError,
  NotionUnavailableError,
} from '../api/errors';
import { Injectable, Logger } from '@nestjs/common';
import { COMMAND } from '../../common/command-name';
import { describeError } from '../../common/errors';
import { NotionApi } from '../api/notion-api';
import type { PageWrite } from '../board/board-plan';
import { BoardSchemas } from './board-schemas';
import type { NotionCalls } from '../api/notion-calls';
import type { BoardFlow } from './board-runner';

/** Writes the differences of one board: the top first, at most a chunk, less while another board waits. */
@Injectable()
export class BoardWriter {
  private readonly logger = new Logger('Notion');

  constructor(
    private readonly api: NotionApi,
    private readonly schemas: BoardSchemas,
  ) {}

  /** Throws the peer's failures, as NotionApi does, after all calls have ended. */
  write(
    calls: NotionCalls,
    writes: readonly PageWrite[],
    turn: Pick<BoardFlow, 'isAnotherReady'> & {
      readonly onAllBooked: () => void;
      readonly stored: Promise<unknown>;
    },
  ): Promise<WriteEnd> {
    const { api, schemas, logger } = this;
    const { chunkSize } = RUN;
    const writing = new BoardWriting({ api, schemas, logger, calls, chunkSize, ...turn });
    return writing.end(writes);
  }
}

/**
 * Updates of one board in a run: about 17 s of the calls of a minute. The rest follows in another run, so
 * that a large board does not keep others waiting.
 */
export const RUN = { chunkSize: 50 };

export interface WriteEnd {
  readonly updated: number;
  /** Pages whose write Notion refuses; each is logged. */
  readonly dropped: number;
  /** False: another run writes the rest. */
  readonly isWhole: boolean;
  /** Why no page of the board can be written, as a sentence. */
  readonly refusal: string | null;
}

interface Core {
  readonly api: NotionApi;
  readonly schemas: BoardSchemas;
  readonly logger: Logger;
  readonly calls: NotionCalls;
  /** The most pages that are updated. */
  readonly chunkSize: number;
  readonly isAnotherReady: () => Promise<boolean>;
  /** Called when the last write of this run has its place in the queue of the limiter. */
  readonly onAllBooked: () => void;
  /** The commit that runs at the same time as the writes: the run waits for it and fails with it. */
  readonly stored: Promise<unknown>;
}

/**
 * The most writes that wait for their start or are under way: enough for the limiter to be the slower
 * part, unless booking, waiting and the call together take more than two seconds.
 */
const AT_ONCE = 6;

/**
 * While another board waits, a run ends after this many writes; after none, a large board would only
 * be read. Refused pages do not count, or the rest of their board would never be written.
 */
const FEW = 10;

/**
 * The writing of one board. A page's write requests its start when the write above it has a place in the
 * limiter's queue, so the top of the board is right first; only a write that misses its start may be
 * overtaken. A refused page does not affect the others and leaves room in the chunk, so each run gets
 * further.
 *
 *   writing ──nothing left, the chunk is full, or another board waits──> over
 *      └──the peer failed, or the board is refused──> stopping ──calls under way have ended──> over
 */
export class BoardWriting {
  private updated = 0;
  private dropped = 0;
  private stuck = 0;
  private refusal: string | null = null;
  private failure: { readonly error: unknown } | null = null;
  private readonly sharedReasons = new Set<string>();
  private readonly inFlight = new Set<Promise<void>>();
  private readonly stop = new AbortController();

  constructor(private readonly run: Core) {}

  async end(writes: readonly PageWrite[]): Promise<WriteEnd> {
    const stored = this.run.stored.catch((error: unknown) => {
      this.fail(error);
    });
    let begun = 0;
    for (const write of writes) {
      if (this.updated + this.inFlight.size >= FEW && (await this.run.isAnotherReady())) break;
      await this.room();
      if (this.isOver) break;
      begun += 1;
      await this.queue(write);
    }
    if (!this.stop.signal.aborted) this.run.onAllBooked();
    await Promise.all([stored, ...this.inFlight]);
    if (this.failure !== null) throw this.failure.error;
    const { updated, dropped, refusal } = this;
    return { updated, dropped, refusal, isWhole: begun === writes.length };
  }

  private get isOver(): boolean {
    return this.stop.signal.aborted || this.updated >= this.run.chunkSize;
  }

  /** Counts the calls in flight too; if one is refused, another page takes its place. */
  private async room(): Promise<void> {
    const most = (): number => Math.min(AT_ONCE, this.run.chunkSize - this.updated);
    while (!this.isOver && this.inFlight.size >= most()) await Promise.race(this.inFlight);
  }

  /** Resolves when the write has its place in the queue, or has ended without one. */
  private queue(write: PageWrite): Promise<void> {
    return new Promise((resolve) => {
      const ended = this.write(write, resolve).finally(() => {
        this.inFlight.delete(ended);
        resolve();
      });
      this.inFlight.add(ended);
    });
  }

  private async write({ pageId, properties }: PageWrite, onBooked: () => void): Promise<void> {
    const { api, calls } = this.run;
    const stop = this.stop.signal;
    const outcome = await outcomeOf(
      calls.make((holder) => api.updatePage(holder, { pageId, properties }), { onBooked, stop }),
    );
    await this.settle(pageId, outcome);
  }

  private async settle(pageId: string, outcome: PageOutcome): Promise<void> {
    switch (outcome.kind) {
      case 'updated':
        this.updated += 1;
        return;
      case 'gone':
        return;
      case 'refused':
        this.drop(pageId, outcome.error);
        this.share(sharedReason(outcome.error));
        return;
      case 'stuck':
        if (await this.isToBlame()) this.drop(pageId, outcome.error);
        else this.fail(outcome.error);
        return;
      case 'failed':
        this.fail(outcome.error);
    }
  }

  private drop(pageId: string, error: unknown): void {
    this.dropped += 1;
    this.run.logger.warn(`page ${pageId} was not updated: ${describeError(error)}`);
  }

  /** Two pages that are refused for the same reason mean that all are. */
  private share(reason: string | null): void {
    if (reason === null) return;
    this.run.schemas.drop();
    if (this.sharedReasons.has(reason)) {
      this.refusal = reason;
      this.stop.abort(new Error(reason));
    }
    this.sharedReasons.add(reason);
  }

  /** One failing page among successful ones is the page's problem; two are Notion's. */
  private async isToBlame(): Promise<boolean> {
    this.stuck += 1;
    if (this.stuck > 1) return false;
    const { api, calls } = this.run;
    const stop = this.stop.signal;
    const outcome = await outcomeOf(calls.make((holder) => api.whoAmI(holder), { stop }));
    if (outcome.kind === 'failed') this.fail(outcome.error);
    return outcome.kind === 'updated';
  }

  private fail(error: unknown): void {
    // Writes that have not begun end with the same reason.
    if (error === this.stop.signal.reason) return;
    this.failure ??= { error };
    this.stop.abort(error);
  }
}

export async function outcomeOf(write: Promise<unknown>): Promise<PageOutcome> {
  try {
    await write;
    return { kind: 'updated' };
  } catch (error) {
    if (error instanceof NotionNotFoundError) return { kind: 'gone' };
    if (error instanceof NotionRefusedError || error instanceof NotionConflictError) {
      return { kind: 'refused', error };
    }
    if (error instanceof NotionUnavailableError) return { kind: 'stuck', error };
    return { kind: 'failed', error };
  }
}

/**
 * The outcome of the write of one page.
 *
 *   updated  Notion has stored it
 *   gone     the page is deleted or no longer shared: nothing is left to do
 *   refused  Notion refuses it, and will refuse it again
 *   stuck    all tries failed, because of this page or because Notion is down
 *   failed   an error that no page can cause: the run ends
 */
export type PageOutcome =
  | { readonly kind: 'updated' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly error: NotionRefusedError | NotionConflictError }
  | { readonly kind: 'stuck'; readonly error: NotionUnavailableError }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A sentence if a refusal concerns every page of the board; null: it may concern this page only. */
export function sharedReason({ fields }: NotionRefusedError | NotionConflictError): string | null {
  const { property, notionCode } = fields;
  if (typeof property === 'string') {
    return `Notion refuses the value of the property "${property}"; run ${COMMAND} notion doctor.`;
  }
  if (notionCode === 'restricted_resource') {
    return 'Notion does not let the integration change pages: give it the right to update content.';
  }
  return null;
}
