import {
  type PageRecord,
  readable,
  type ReadableValue,
  titleOf,
  valueIn,
} from '../world/page-record';
import { findColumn } from '../world/source';
import type { World } from '../world/world';
import type { Board } from './board';
import type { NotionUser } from './notion-user';
import { type EnteredValues, valuesOf } from './entered-values';

/** A page as people see and change it. Every change has an author: `by`, or the page's author. */
export class NotionPage {
  constructor(
    private readonly world: World,
    private readonly page: PageRecord,
  ) {}

  get id(): string {
    return this.page.id;
  }

  get title(): string {
    return titleOf(this.page, this.world.sourceOf(this.page));
  }

  get isTrashed(): boolean {
    return this.page.inTrash;
  }

  /** Text as text, an option by its name, a date by its start, people and pages by their ids. */
  value(column: string): ReadableValue {
    const found = findColumn(this.world.sourceOf(this.page), column);
    if (found === null) throw new Error(`the board has no column "${column}"`);
    return readable(found, valueIn(this.page, found));
  }

  edit(entered: EnteredValues, by?: NotionUser): void {
    const values = valuesOf(this.world.sourceOf(this.page), entered);
    this.world.editPage(this.page, values, by?.person ?? this.page.createdBy);
  }

  delete(by?: NotionUser): void {
    this.world.trashPage(this.page, by?.person ?? this.page.createdBy);
  }

  restore(by?: NotionUser): void {
    this.world.trashPage(this.page, by?.person ?? this.page.createdBy, false);
  }

  moveTo(board: Board, by?: NotionUser): void {
    this.world.movePage(this.page, board.source, by?.person ?? this.page.createdBy);
  }
}
