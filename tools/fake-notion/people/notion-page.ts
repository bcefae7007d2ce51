import {
  type PageRecord,
  readable,
  type ReadableValue,
  titleOf,
  valueIn,
} from '../state/page-record';
import { findColumn } from '../state/source';
import type { WorkspaceState } from '../state/workspace-state';
import type { Board } from './board';
import type { NotionUser } from './notion-user';
import { type EnteredValues, valuesOf } from './entered-values';

/** A page as people see and change it. Every change has an author: `by`, or the page's author. */
export class NotionPage {
  constructor(
    private readonly state: WorkspaceState,
    private readonly page: PageRecord,
  ) {}

  get id(): string {
    return this.page.id;
  }

  get title(): string {
    return titleOf(this.page, this.state.sourceOf(this.page));
  }

  get isTrashed(): boolean {
    return this.page.inTrash;
  }

  /** Text as text, an option by its name, a date by its start, people and pages by their ids. */
  value(column: string): ReadableValue {
    const found = findColumn(this.state.sourceOf(this.page), column);
    if (found === null) throw new Error(`the board has no column "${column}"`);
    return readable(found, valueIn(this.page, found));
  }

  edit(entered: EnteredValues, by?: NotionUser): void {
    const values = valuesOf(this.state.sourceOf(this.page), entered);
    this.state.editPage(this.page, values, by?.person ?? this.page.createdBy);
  }

  delete(by?: NotionUser): void {
    this.state.trashPage(this.page, by?.person ?? this.page.createdBy);
  }

  restore(by?: NotionUser): void {
    this.state.trashPage(this.page, by?.person ?? this.page.createdBy, false);
  }

  moveTo(board: Board, by?: NotionUser): void {
    this.state.movePage(this.page, board.source, by?.person ?? this.page.createdBy);
  }
}
