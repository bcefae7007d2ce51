import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import type { BoardTask } from '../board';
import { type BrakeDecision, describeBrake } from '../diff';
import { NotionPages, PageReads } from '../pages';
import { BoardSchedule } from '../schedule/board-schedule';
import { BoardPasses } from './board-passes';
import type { BoardFlow } from './board-run';
import { DeskPort } from './desk-port';
import { boardSubject } from './notion-desk';

/** Whether a run may write. */
export type Leave =
  | { readonly kind: 'free'; readonly hasPass: boolean }
  | { readonly kind: 'braked'; readonly reason: string };

/** Between what was read and what is written: the commits of a run. */
@Injectable()
export class BoardGate {
  constructor(
    private readonly pages: NotionPages,
    private readonly reads: PageReads,
    private readonly boards: BoardSchedule,
    private readonly passes: BoardPasses,
    private readonly port: DeskPort,
  ) {}

  /**
   * Remembers whose the open pages are, forgets those that the person has no more, and marks whoever
   * has lost one. Adds the board to the attention list, or settles it there, as the brake says.
   * `agoMs`: since the query began.
   */
  enter(
    flow: BoardFlow,
    { tasks, agoMs }: { readonly tasks: readonly BoardTask[]; readonly agoMs: number },
    brake: BrakeDecision,
  ): Promise<Leave> {
    const { userId } = flow;
    const subject = boardSubject(userId);
    const seen = tasks
      .filter(({ isClosed }) => !isClosed)
      .map(({ pageId, assigneeIds }) => ({ pageId, assigneeIds }));
    const theirs = seen.filter(({ assigneeIds }) => assigneeIds.join() === userId);
    return flow.uow.commit('notion.board-read', async (tx) => {
      await flow.holder.fence(tx);
      await this.boards.mark(tx, await this.pages.losers(tx, seen), 'event');
      await this.pages.remember(tx, seen);
      await this.pages.forgetOthers(tx, { userId, seen, agoMs });
      await this.reads.spare(tx, { pageIds: theirs.map(({ pageId }) => pageId), agoMs });
      const hasPass = await this.passes.holds(tx, userId);
      if (!brake.isBraked || hasPass) {
        await this.port.desk.settle(tx, subject);
        return { kind: 'free', hasPass };
      }
      const reason = describeBrake(brake);
      await this.port.desk.raise(tx, { kind: 'braked', subject, reason });
      return { kind: 'braked', reason };
    });
  }

  /** In front of a person until a run gets through the gate again. */
  giveUp(tx: Tx, userId: string, error: string): Promise<void> {
    const reason = `the board could not be ranked, and is not tried again until it changes: ${error}`;
    return this.port.desk.raise(tx, { kind: 'dead', subject: boardSubject(userId), reason });
  }

  /** A board that was begun may be ended whatever the brake says; one that is whole needs no pass. */
  async exit(
    flow: BoardFlow,
    { hasPass }: Extract<Leave, { kind: 'free' }>,
    isWhole: boolean,
  ): Promise<void> {
    if (isWhole && !hasPass) return;
    await flow.uow.commit('notion.board-left', async (tx) => {
      await flow.holder.fence(tx);
      if (isWhole) await this.passes.use(tx, flow.userId);
      else await this.passes.give(tx, flow.userId, 'begun');
    });
  }
}
