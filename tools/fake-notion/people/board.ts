import type { SchemaChange } from '../state/workspace-change';
import type { Person } from '../state/person';
import { type Column, findColumn, type Source } from '../state/source';
import type { WorkspaceState } from '../state/workspace-state';
import { type ColumnSpec, columnOf } from './columns';
import { NotionPage } from './notion-page';
import type { NotionUser } from './notion-user';
import { type EnteredValues, valuesOf } from './entered-values';

/** A database with its data source, as people see and change it. */
export class Board {
  constructor(
    private readonly state: WorkspaceState,
    readonly source: Source,
  ) {}

  /** The data source's id, for NOTION_DATA_SOURCE_ID. */
  get id(): string {
    return this.source.id;
  }

  get databaseId(): string {
    return this.source.databaseId;
  }

  /** Oldest first, without the trash. */
  get tasks(): readonly NotionPage[] {
    const pages = this.state.pagesIn(this.source).filter(({ inTrash }) => !inTrash);
    return pages.map((page) => new NotionPage(this.state, page));
  }

  /** Made by `by`; by default the board's author. */
  task(entered: EnteredValues, by?: NotionUser): NotionPage {
    const values = valuesOf(this.source, entered);
    return new NotionPage(this.state, this.state.addPage(this.source, values, this.author(by)));
  }

  page(id: string): NotionPage {
    const page = this.state.pages.get(id);
    if (page?.sourceId !== this.source.id) throw new Error(`there is no page ${id} on the board`);
    return new NotionPage(this.state, page);
  }

  addColumn(name: string, spec: ColumnSpec): void {
    const column = columnOf(this.state, name, spec, this.source.id);
    this.source.columns.push(column);
    this.report({ id: column.id, name, action: 'created' });
  }

  renameColumn(from: string, to: string): void {
    const column = this.column(from);
    column.name = to;
    this.report({ id: column.id, name: to, action: 'updated' });
  }

  /** Removes a column with its values. */
  retypeColumn(name: string, spec: ColumnSpec): void {
    const column = this.column(name);
    const { type, options, groups, relatedTo } = columnOf(this.state, name, spec, this.source.id);
    Object.assign(column, { type, options, groups, relatedTo });
    this.report({ id: column.id, name, action: 'updated' });
  }

  dropColumn(name: string): void {
    const column = this.column(name);
    this.source.columns = this.source.columns.filter((one) => one !== column);
    this.report({ id: column.id, name, action: 'deleted' });
  }

  /** Ends the sharing: the connection no longer sees the board. */
  unshare(): void {
    this.source.isShared = false;
  }

  share(): void {
    this.source.isShared = true;
  }

  delete(by?: NotionUser): void {
    this.state.trashSource(this.source, this.author(by));
  }

  private column(name: string): Column {
    const column = findColumn(this.source, name);
    if (column === null) throw new Error(`the board has no column "${name}"`);
    return column;
  }

  private author(by: NotionUser | undefined): Person {
    return by?.person ?? this.source.createdBy;
  }

  private report(change: SchemaChange): void {
    this.state.schemaChanged(this.source, [change], this.source.createdBy);
  }
}
