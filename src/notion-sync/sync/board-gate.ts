import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DomainEvents } from '../../common/events';
import type { Tx } from '../../common/uow';
import type { BoardTask } from '../board/board-tasks';
import { type BrakeDecision, describeBrake } from '../board/board-plan';
import { PageRepository, PageReadRepository } from './page.repository';
import { BoardSchedule } from './board-schedule';
import { BoardApprovals, ScheduleRepository } from './schedule.repository';
import { boardSubject } from './replays';
import type { BoardFlow } from './board-runner';

/** The commits of a run between reading and writing. */
@Injectable()
export class BoardGate {
  constructor(
    private readonly pages: PageRepository,
    private readonly reads: PageReadRepository,
    private readonly boards: BoardSchedule,
    private readonly runs: ScheduleRepository,
    private readonly approvals: BoardApprovals,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Why the board must not be written, as a sentence; null: it may. Called before `store`. */
  async holdBack(flow: BoardFlow, board: SeenBoard, brake: BrakeDecision): Promise<string | null> {
    if (!brake.isBraked) return null;
    const { userId } = flow;
    const reason = describeBrake(brake);
    return flow.uow.commit('notion.board_braked', async (tx) => {
      await flow.fence(tx);
      if (await this.runs.isFirstRanking(tx, userId)) return null;
      if (await this.approvals.holds(tx, userId)) return null;
      await this.remember(tx, userId, board);
      const subject = boardSubject(userId);
      await this.events.publish(tx, 'attention.needed', { kind: 'braked', subject, reason });
      return reason;
    });
  }

  /**
   * Closes the board's attention items, because it is written. Returns whether it is approved, which its
   * last write uses up.
   */
  store(flow: BoardFlow, board: SeenBoard): Promise<boolean> {
    const { userId } = flow;
    return flow.uow.commit('notion.board_read', async (tx) => {
      await flow.fence(tx);
      await this.remember(tx, userId, board);
      await this.events.publish(tx, 'attention.settled', {
        subject: boardSubject(userId),
        resolution: 'a later run ranked the board',
      });
      return this.approvals.holds(tx, userId);
    });
  }

  /**
   * Remembers the assignees of the open pages, removes pages that the person has lost, and marks the
   * boards of people who have lost one. Other people who have got one are marked too, because a scan
   * finds only assignees who are not remembered; a page that is new to us marks nobody, or the first day
   * would mark everybody.
   */
  private async remember(tx: Tx, userId: string, { tasks, begunMs }: SeenBoard): Promise<void> {
    const seen = tasks
      .filter(({ isClosed }) => !isClosed)
      .map(({ pageId, assigneeIds }) => ({ pageId, assigneeIds }));
    const theirs = seen.filter(({ assigneeIds }) => assigneeIds.join() === userId);
    const agoMs = this.clock.monotonicMs() - begunMs;
    const former = await this.pages.formerAssignees(tx, seen);
    const others = (await this.pages.newAssignees(tx, seen)).filter((id) => id !== userId);
    await this.boards.mark(tx, [...new Set([...former, ...others])], 'event');
    await this.pages.remember(tx, seen);
    await this.pages.forgetOthers(tx, { userId, seen, agoMs });
    await this.reads.spare(tx, { pageIds: theirs.map(({ pageId }) => pageId), agoMs });
  }

  /** Adds an attention item, which stays until a run succeeds again. */
  giveUp(tx: Tx, userId: string, error: string): Promise<void> {
    const reason = `the board could not be ranked, and is not tried again until it changes: ${error}`;
    const subject = boardSubject(userId);
    return this.events.publish(tx, 'attention.needed', { kind: 'dead', subject, reason });
  }
}

/** What a run has read, and when. */
interface SeenBoard {
  readonly tasks: readonly BoardTask[];
  /** Monotonic. */
  readonly begunMs: number;
}
