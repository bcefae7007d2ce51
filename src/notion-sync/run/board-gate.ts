import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import type { BoardTask } from '../board/board-task';
import { type BrakeDecision, describeBrake } from '../diff/brake';
import { PageRepository } from '../pages/notion-pages';
import { PageReadRepository } from '../pages/page-reads';
import { BoardSchedule } from '../schedule/board-schedule';
import { BoardPasses } from './board-passes';
import type { BoardFlow } from './board-run';
import { DeskPort } from './desk-port';
import { boardSubject } from './notion-desk';

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
    private readonly port: DeskPort,
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
      await this.port.desk.raise(tx, { kind: 'braked', subject: boardSubject(userId), reason });
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
      await this.port.desk.settle(tx, boardSubject(userId));
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
    return this.port.desk.raise(tx, { kind: 'dead', subject: boardSubject(userId), reason });
  }
}
