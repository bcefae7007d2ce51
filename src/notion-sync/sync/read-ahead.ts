import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { describeError } from '../../common/errors';
import { NotionRetries, NotionCalls } from '../api/notion-calls';
import { PeerUnavailableError } from '../../jobs';
import { type BoardQuery, BoardReader } from './board-reader';
import type { BoardFlow, ReadyBoard } from './board-runner';

/**
 * Reads the first pages of the next boards while one board is written. Otherwise no call would start
 * while the last write and the next query are under way, which at 600 ms per call wastes half of what
 * Notion allows.
 *
 *   nothing ──a board is ready──> requested ──its run begins, no new request──> used
 *                                    └──no longer next, or requested again──> dropped
 *
 * The call is booked like any other. It ends with the lease of the running run; between two runs it
 * needs none, because it only reads. A board that was marked since is read again, so a run sees every
 * change that led to it. Results stay in memory, for BOARDS_AHEAD boards.
 */
@Injectable()
export class ReadAhead {
  private readonly logger = new Logger('Notion');
  private running: BoardFlow | null = null;
  private aheads: readonly Ahead[] = [];
  /** The call for the running board, until its run takes it. */
  private own: Ahead | null = null;
  private isLooking = false;

  constructor(
    private readonly reader: BoardReader,
    private readonly retries: NotionRetries,
    private readonly clock: Clock,
  ) {}

  /** A run begins. Returns the state of the call for its board. */
  enter(flow: BoardFlow): 'not at all' | 'under way' | 'read' {
    this.running = flow;
    const own = this.aheads.find((ahead) => isOf(ahead, flow) && this.isUsable(ahead)) ?? null;
    this.keep((ahead) => ahead.userId !== flow.userId && this.isUsable(ahead), own);
    this.own = own;
    if (own === null) return 'not at all';
    putUnder(flow, own);
    return own.hasEnded ? 'read' : 'under way';
  }

  /** The result for this run; null: the run has to query itself. Throws as NotionApi does. */
  async take(flow: BoardFlow, calls: NotionCalls): Promise<BoardQuery | null> {
    const { own } = this;
    if (own?.owner !== flow) return null;
    this.own = null;
    calls.adopt(own.calls);
    const query = await own.query;
    if (own.calls.hasResponded) flow.peerResponded();
    return query;
  }

  /** Requests the next boards that were not requested yet. Never throws. */
  async begin(flow: BoardFlow): Promise<void> {
    if (this.isLooking || this.aheads.length === BOARDS_AHEAD) return;
    this.isLooking = true;
    try {
      const next = await flow.nextReady();
      if (this.running === flow) this.askFor(flow, next.slice(0, BOARDS_AHEAD));
    } catch (error) {
      this.logger.debug(`the next boards could not be read ahead: ${describeError(error)}`);
    } finally {
      this.isLooking = false;
    }
  }

  /** The run has ended; requested calls go on. */
  leave(flow: BoardFlow): void {
    if (this.running === flow) this.running = null;
  }

  private isUnderWay(flow: BoardFlow): boolean {
    return this.running === flow;
  }

  private askFor(flow: BoardFlow, next: readonly ReadyBoard[]): void {
    this.keep((ahead) => next.some((board) => isSame(ahead, board)));
    const missing = next.filter((board) => !this.aheads.some((ahead) => isSame(ahead, board)));
    this.aheads = [...this.aheads, ...missing.map((board) => this.ask(flow, board))];
  }

  private ask(flow: BoardFlow, next: ReadyBoard): Ahead {
    const ending = new AbortController();
    const calls = new NotionCalls(
      {
        holder: {
          signal: ending.signal,
          lease: () => (this.isUnderWay(ahead.owner) ? ahead.owner.holder.lease() : null),
        },
        assertLease: () => {
          if (this.isUnderWay(ahead.owner)) ahead.owner.assertLease();
        },
        // The response of Notion counts for the run that uses it.
        peerResponded: () => undefined,
      },
      this.retries,
    );
    const ahead: Ahead = {
      ...next,
      calls,
      begunMs: this.clock.monotonicMs(),
      owner: flow,
      ending,
      hasEnded: false,
      hasFailed: false,
      release: () => undefined,
      query: Promise.resolve(null),
    };
    putUnder(flow, ahead);
    ahead.query = this.reader
      .readAhead(calls, next.userId)
      .catch((error: unknown) => {
        ahead.hasFailed = true;
        // The board's own run waits for this call and gets the same error.
        if (ahead.owner !== flow && error instanceof PeerUnavailableError) throw error;
        return null;
      })
      .finally(() => {
        ahead.hasEnded = true;
        ahead.release();
      });
    // It may never be used.
    ahead.query.catch(() => undefined);
    return ahead;
  }

  /** Keeps the calls for which `isKept` holds and aborts the others, except `but`. */
  private keep(isKept: (ahead: Ahead) => boolean, but: Ahead | null = null): void {
    const { aheads } = this;
    this.aheads = aheads.filter(isKept);
    for (const ahead of aheads) {
      if (ahead !== but && !this.aheads.includes(ahead)) ahead.ending.abort();
    }
  }

  private isUsable({ hasFailed, begunMs }: Ahead): boolean {
    return !hasFailed && this.clock.monotonicMs() - begunMs <= MOST_AGE_MS;
  }
}

/** With calls of 600 ms, one board read ahead would still leave a sixth of the starts unused. */
export const BOARDS_AHEAD = 2;
/** A result that is older than this is read again. */
const MOST_AGE_MS = 10_000;

/** The first call of a board's query, made before the board's own run. */
interface Ahead extends ReadyBoard {
  readonly calls: NotionCalls;
  readonly begunMs: number;
  /** The run that owns the call: first the one that requests it, then the one that uses it. */
  owner: BoardFlow;
  readonly ending: AbortController;
  /** Null: nothing was read. */
  query: Promise<BoardQuery | null>;
  hasEnded: boolean;
  hasFailed: boolean;
  /** Detaches the call from its owner's lease. */
  release: () => void;
}

/** It was read for this run, and the board was not requested since. */
function isOf({ userId, request }: Ahead, flow: BoardFlow): boolean {
  const { request: own } = flow;
  if (flow.isTakenOver || own === null || flow.userId !== userId) return false;
  return isSame({ userId, request }, { userId, request: own });
}

function isSame(one: ReadyBoard, other: ReadyBoard): boolean {
  const [a, b] = [one.request, other.request];
  return one.userId === other.userId && a.jobId === b.jobId && a.requests === b.requests;
}

/** From now on the call ends with this run's lease, or with a drain that asks for its job back. */
function putUnder(flow: BoardFlow, ahead: Ahead): void {
  const { signal } = flow.holder;
  const end = (): void => {
    ahead.ending.abort(signal.reason);
  };
  ahead.release();
  ahead.owner = flow;
  if (ahead.hasEnded) return;
  ahead.release = () => {
    signal.removeEventListener('abort', end);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
}
