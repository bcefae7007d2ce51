import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { PageRepository } from '../pages/notion-pages';
import { BoardSchedule } from '../schedule/board-schedule';

/** `unassigned`: nobody's board has changed. */
type Marked = 'marked' | 'unassigned';

/** Whose boards change when pages do: theirs who have them, and theirs who had them. */
@Injectable()
export class PageChanges {
  constructor(
    private readonly pages: PageRepository,
    private readonly boards: BoardSchedule,
  ) {}

  /** What is known of these pages, to be changed, and then stored in the same commit. */
  async of(tx: Tx, pageIds: readonly string[]): Promise<ChangeSet> {
    return new ChangeSet(await this.pages.assigneesOf(tx, pageIds));
  }

  /** One statement for all boards that are marked, and one for all pages. */
  async store(tx: Tx, { marked, remembered, forgotten }: ChangeSet): Promise<void> {
    await this.boards.mark(tx, [...marked], 'event');
    const seen = [...remembered].map(([pageId, assigneeIds]) => ({ pageId, assigneeIds }));
    await this.pages.remember(tx, seen);
    await this.pages.forget(tx, [...forgotten]);
  }
}

/** Changes of pages, one after the other, before they are stored. */
export class ChangeSet {
  readonly marked = new Set<string>();
  readonly remembered = new Map<string, readonly string[]>();
  readonly forgotten = new Set<string>();

  constructor(private readonly known: Map<string, readonly string[]>) {}

  /** Whether to whom it belongs is known, without reading it. */
  isKnown(pageId: string): boolean {
    return this.known.has(pageId);
  }

  /** The page belongs to these now. */
  belongsTo(pageId: string, assigneeIds: readonly string[]): Marked {
    const marked = this.mark(pageId, assigneeIds);
    this.known.set(pageId, assigneeIds);
    this.remembered.set(pageId, assigneeIds);
    this.forgotten.delete(pageId);
    return marked;
  }

  /** The page is no longer on the board; `lastIds`: to whom it belonged at last, if known. */
  left(pageId: string, lastIds: readonly string[] = []): Marked {
    const marked = this.mark(pageId, lastIds);
    this.known.delete(pageId);
    this.remembered.delete(pageId);
    this.forgotten.add(pageId);
    return marked;
  }

  /** It belongs to whom it belonged, as far as anybody knows. */
  changed(pageId: string): Marked {
    return this.mark(pageId, []);
  }

  private mark(pageId: string, newIds: readonly string[]): Marked {
    const ids = [...(this.known.get(pageId) ?? []), ...newIds];
    for (const id of ids) this.marked.add(id);
    return ids.length === 0 ? 'unassigned' : 'marked';
  }
}
