import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { EventBus } from '../../common/events';
import type { Tx } from '../../common/uow';
import type { BoardTask } from '../board/board-tasks';
import {
  type BrakeDecision,
  describeBrake,
  type BoardPlan,
  BoardPlanner,
} from '../board/board-plan';
import { PageRepository, PageReadRepository } from './page.repository';
import { BoardSchedule } from './board-schedule';
import { BoardPasses } from './schedule.repository';
import { type BoardFlow, BoardRun, type PassEnd, type RunCounts, type RunEnd } from './board-run';
import { boardSubject } from './board-approval';
import { Settings } from '../../common/config';
import { NotionRetries, NotionCalls } from '../api/notion-calls';
import { BoardReader } from './board-reader';
import { BoardWriter } from './board-writer';
import { ReadAhead } from './read-ahead';

/** What a run has read, and when. */
interface SeenBoard {
  readonly tasks: readonly BoardTask[];
  /** By the clock that never jumps. */
  readonly begunMs: number;
}

/** Between what was read and what is written: the commits of a run. */
@Injectable()
export class BoardGate {
  constructor(
    private readonly pages: PageRepository,
    private readonly reads: PageReadRepository,
    private readonly boards: BoardSchedule,
    private readonly passes: BoardPasses,
    private readonly events: EventBus,
    private readonly clock: Clock,
  ) {}

  /** Why the board must not be written, in a sentence; null: it may be. Asked before `store`. */
  async holdBack(flow: BoardFlow, board: SeenBoard, brake: BrakeDecision): Promise<string | null> {
    if (!brake.isBraked) return null;
    const { userId } = flow;
    const reason = describeBrake(brake);
    return flow.uow.commit('notion.board-braked', async (tx) => {
      await flow.fence(tx);
      if (await this.passes.holds(tx, userId)) return null;
      await this.remember(tx, userId, board);
      const subject = boardSubject(userId);
      await this.events.publish(tx, 'attention.needed', { kind: 'braked', subject, reason });
      return reason;
    });
  }

  /**
   * A board that is written has nothing to wait for in the attention list. Answers whether it has a
   * pass, which its last write uses up.
   */
  store(flow: BoardFlow, board: SeenBoard): Promise<boolean> {
    const { userId } = flow;
    return flow.uow.commit('notion.board-read', async (tx) => {
      await flow.fence(tx);
      await this.remember(tx, userId, board);
      await this.events.publish(tx, 'attention.settled', {
        subject: boardSubject(userId),
        resolution: 'a later run ranked the board',
      });
      return this.passes.holds(tx, userId);
    });
  }

  /**
   * Whose the open pages are, without those that the person has no more; whoever has lost one is
   * marked.
   */
  private async remember(tx: Tx, userId: string, { tasks, begunMs }: SeenBoard): Promise<void> {
    const seen = tasks
      .filter(({ isClosed }) => !isClosed)
      .map(({ pageId, assigneeIds }) => ({ pageId, assigneeIds }));
    const theirs = seen.filter(({ assigneeIds }) => assigneeIds.join() === userId);
    const agoMs = this.clock.monotonicMs() - begunMs;
    await this.boards.mark(tx, await this.pages.losers(tx, seen), 'event');
    await this.pages.remember(tx, seen);
    await this.pages.forgetOthers(tx, { userId, seen, agoMs });
    await this.reads.spare(tx, { pageIds: theirs.map(({ pageId }) => pageId), agoMs });
  }

  /** In front of a person until a run gets through the gate again. */
  giveUp(tx: Tx, userId: string, error: string): Promise<void> {
    const reason = `the board could not be ranked, and is not tried again until it changes: ${error}`;
    const subject = boardSubject(userId);
    return this.events.publish(tx, 'attention.needed', { kind: 'dead', subject, reason });
  }
}

/**
 * A run on one board: query, plan, writes, and beside these one commit of what was read. It holds no
 * connection while Notion is waited for, and remembers nothing for the next run, which queries again,
 * but a query that it has paused.
 */
@Injectable()
export class BoardRunner extends BoardRun {
  private readonly logger = new Logger('Notion');
  private readonly planner: BoardPlanner;

  /** Throws UnknownPlaceError. */
  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly retries: NotionRetries,
    private readonly reader: BoardReader,
    private readonly readAhead: ReadAhead,
    private readonly gate: BoardGate,
    private readonly writer: BoardWriter,
  ) {
    super();
    this.planner = new BoardPlanner(settings.notionBoard);
  }

  override async run(flow: BoardFlow): Promise<RunEnd> {
    try {
      // There is nothing to write before that call is answered.
      if (this.readAhead.enter(flow) === 'under way') this.lookAhead(flow);
      return await this.rank(flow);
    } finally {
      this.readAhead.leave(flow);
    }
  }

  override givenUp(tx: Tx, userId: string, error: string): Promise<void> {
    return this.gate.giveUp(tx, userId, error);
  }

  private async rank(flow: BoardFlow): Promise<RunEnd> {
    const calls = new NotionCalls(flow, this.retries);
    if (flow.isTakenOver) await this.outlastEarlierCalls(flow);
    const ahead = await this.readAhead.take(flow, calls);
    const read = await this.reader.read(calls, flow.userId, flow.isAnotherReady, ahead);
    if (read.kind === 'paused') return { kind: 'partly', counts: countsOf(calls, {}) };
    if (read.kind === 'refused') {
      const counts = countsOf(calls, { loaded: read.loaded });
      return { kind: 'refused', reason: read.reason, counts };
    }
    const { tasks } = read;
    const plan = this.planner.planFor(flow.userId, tasks, this.clock.now());
    this.tellCycles(flow, plan);
    const processed = plan.ranking.ranked.length + plan.over.length;
    const seen = { loaded: tasks.length, processed };
    const reason = await this.gate.holdBack(flow, read, plan.brake);
    if (reason !== null) return { kind: 'braked', reason, counts: countsOf(calls, seen) };
    const stored = this.gate.store(flow, read);
    const { isWhole, refusal, ...written } = await this.writer.write(calls, plan.writes, {
      isAnotherReady: flow.isAnotherReady,
      onAllBooked: () => {
        this.lookAhead(flow);
      },
      stored,
    });
    const counts = countsOf(calls, { ...seen, ...written });
    if (refusal !== null) return { kind: 'refused', reason: refusal, counts };
    // Of what changed since an earlier run has read it, this run knows nothing.
    const isStale = read.isResumed && flow.isAskedAgain;
    const pass = passAfter(isWhole, await stored);
    return { kind: isWhole && !isStale ? 'ranked' : 'partly', counts, pass };
  }

  private lookAhead(flow: BoardFlow): void {
    void this.readAhead.begin(flow);
  }

  /** A call of the run that this one took over from may still change a page after our query. */
  private async outlastEarlierCalls({ holder }: BoardFlow): Promise<void> {
    await this.clock.sleep(this.settings.notion.timeoutMs, holder.signal);
    holder.signal.throwIfAborted();
  }

  /** By their ids: a task's name may be a candidate's. */
  private tellCycles({ userId }: BoardFlow, { ranking }: BoardPlan): void {
    for (const { relation, pageIds } of ranking.cycles) {
      const pages = pageIds.join(', ');
      this.logger.warn(`board of ${userId}: ${relation} goes in a circle, ignored: ${pages}`);
    }
  }
}

/** A board that was begun may be ended whatever the brake says; one that is whole needs no pass. */
function passAfter(isWhole: boolean, hasPass: boolean): PassEnd | undefined {
  if (!isWhole) return 'begun';
  return hasPass ? 'used' : undefined;
}

function countsOf(calls: NotionCalls, counts: Partial<RunCounts>): RunCounts {
  return { loaded: 0, processed: 0, updated: 0, dropped: 0, ...counts, apiCalls: calls.count };
}
