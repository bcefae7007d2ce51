import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { NotionPages } from '../pages';
import { BoardSchedule } from '../schedule/board-schedule';

/** `unassigned`: nobody's board has changed. */
type Marked = 'marked' | 'unassigned';

/** Whose boards change when a page does: theirs who have it, and theirs who had it. */
@Injectable()
export class PageChanges {
  constructor(
    private readonly pages: NotionPages,
    private readonly boards: BoardSchedule,
  ) {}

  /** Whether to whom it belongs is known, without reading it. */
  async isKnown(tx: Tx, pageId: string): Promise<boolean> {
    return (await this.pages.assigneesOf(tx, pageId)) !== null;
  }

  /** The page belongs to these now. */
  async belongsTo(tx: Tx, pageId: string, assigneeIds: readonly string[]): Promise<Marked> {
    const marked = await this.mark(tx, pageId, assigneeIds);
    await this.pages.remember(tx, [{ pageId, assigneeIds }]);
    return marked;
  }

  /** The page is no longer on the board; `lastIds`: to whom it belonged at last, if known. */
  async left(tx: Tx, pageId: string, lastIds: readonly string[] = []): Promise<Marked> {
    const marked = await this.mark(tx, pageId, lastIds);
    await this.pages.forget(tx, pageId);
    return marked;
  }

  /** Nobody knows to whom it belongs now. */
  changed(tx: Tx, pageId: string): Promise<Marked> {
    return this.mark(tx, pageId, []);
  }

  private async mark(tx: Tx, pageId: string, newIds: readonly string[]): Promise<Marked> {
    const oldIds = (await this.pages.assigneesOf(tx, pageId)) ?? [];
    const ids = [...new Set([...oldIds, ...newIds])];
    if (ids.length === 0) return 'unassigned';
    await this.boards.mark(tx, ids, 'event');
    return 'marked';
  }
}
