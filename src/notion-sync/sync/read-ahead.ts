import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { describeError } from '../../common/errors';
import { NotionRetries, NotionCalls } from '../api/notion-calls';
import { PeerUnavailableError } from '../../jobs';
import { type BoardQuery, BoardReader } from './board-reader';
import { BOARDS_AHEAD, type BoardFlow, type ReadyBoard } from './board-run';

/** What was read longer ago is read again. */
const MOST_AGE_MS = 10_000;

/** The first call of a board's query, made before the board's own run. */
interface Ahead extends ReadyBoard {
  readonly calls: NotionCalls;
  readonly begunMs: number;
  /** Who is under way meanwhile: the run that asks for it, then the run that uses it. */
  owner: BoardFlow;
  readonly ending: AbortController;
  /** Null: there is nothing to use. */
  query: Promise<BoardQuery | null>;
  hasEnded: boolean;
  hasFailed: boolean;
  /** Takes the call from under its owner's lease. */
  release: () => void;
}

/**
 * While one board is written, the first pages of the next ones are asked for: otherwise nothing is
 * called while the last write and the next query are under way, which at 600 ms a call is half of
 * what Notion allows.
 *
 *   nothing ──a board is ready──> asked for ──its run begins, nothing has asked again──> used
 *                                    └──it is not next any more, or was asked again──> dropped
 *
 * The call is booked like any other. It ends with the lease of the run that is under way; between two
 * runs it needs none: it only reads, and its start would be lost. A board that was marked since is read again, so a run still sees all that
 * asked for it. Kept in memory, for BOARDS_AHEAD boards.
 */
@Injectable()
export class ReadAhead {
  private readonly logger = new Logger('Notion');
  private running: BoardFlow | null = null;
  private aheads: readonly Ahead[] = [];
  /** Of the board that runs, until its run takes it. */
  private own: Ahead | null = null;
  private isLooking = false;

  constructor(
    private readonly reader: BoardReader,
    private readonly retries: NotionRetries,
    private readonly clock: Clock,
  ) {}

  /** A run begins. Answers how far its board was asked for already. */
  enter(flow: BoardFlow): 'not at all' | 'under way' | 'read' {
    this.running = flow;
    const own = this.aheads.find((ahead) => isOf(ahead, flow) && this.isUsable(ahead)) ?? null;
    this.keep((ahead) => ahead.userId !== flow.userId && this.isUsable(ahead), own);
    this.own = own;
    if (own === null) return 'not at all';
    putUnder(flow, own);
    return own.hasEnded ? 'read' : 'under way';
  }

  /** What was asked for this run; null: it has to ask itself. Throws as NotionApi does. */
  async take(flow: BoardFlow, calls: NotionCalls): Promise<BoardQuery | null> {
    const { own } = this;
    if (own?.owner !== flow) return null;
    this.own = null;
    calls.adopt(own.calls);
    const query = await own.query;
    if (own.calls.isAnswered) flow.peerResponded();
    return query;
  }

  /** Asks for those of the next boards that were not asked for. Never throws. */
  async begin(flow: BoardFlow): Promise<void> {
    if (this.isLooking || this.aheads.length === BOARDS_AHEAD) return;
    this.isLooking = true;
    try {
      const next = await flow.nextReady();
      if (this.running === flow) this.askFor(flow, next.slice(0, BOARDS_AHEAD));
    } catch (error) {
      this.logger.debug(`the next boards were not looked for: ${describeError(error)}`);
    } finally {
      this.isLooking = false;
    }
  }

  /** The run has ended. What was asked for goes on. */
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
        // Notion's answer counts for the run that uses it.
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
        // The board's own run is waiting, and would hear the same.
        if (ahead.owner !== flow && error instanceof PeerUnavailableError) throw error;
        return null;
      })
      .finally(() => {
        ahead.hasEnded = true;
        ahead.release();
      });
    // Nobody may come for it.
    ahead.query.catch(() => undefined);
    return ahead;
  }

  /** Of the others a call that is under way is given up, but for `but`. */
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

/** Read for this run, and nothing has asked for the board since. */
function isOf({ userId, request }: Ahead, flow: BoardFlow): boolean {
  const { request: own } = flow;
  if (flow.isTakenOver || own === null || flow.userId !== userId) return false;
  return isSame({ userId, request }, { userId, request: own });
}

function isSame(one: ReadyBoard, other: ReadyBoard): boolean {
  const [a, b] = [one.request, other.request];
  return one.userId === other.userId && a.jobId === b.jobId && a.asks === b.asks;
}

/** From now on the call ends with this run's lease, or with the drain that wants its task back. */
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
