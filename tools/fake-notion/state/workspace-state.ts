import type { Clock } from '../../../src/common/clock';
import { Changes } from '../../http-fake/changes';
import type { WorkspaceChange, PageEvent, SchemaChange, SourceEvent } from './workspace-change';
import { idOf } from './ids';
import { type PageRecord, valueIn } from './page-record';
import type { Person } from './person';
import type { Column, Source } from './source';
import type { Value } from './values';
import { isDeepStrictEqual } from 'node:util';

type NewSource = Pick<Source, 'title' | 'columns'>;
type Listener = (change: WorkspaceChange) => void;

/** Everything in one workspace, and the only place that changes it. */
export class WorkspaceState {
  readonly changes = new Changes();
  readonly id = idOf('workspace');
  readonly name = 'Test workspace';
  /** The connection's own bot. */
  readonly bot: Person;
  readonly people = new Map<string, Person>();
  readonly sources = new Map<string, Source>();
  readonly pages = new Map<string, PageRecord>();
  private readonly listeners: Listener[] = [];
  /** The most pages that a query returns, over all its batches. */
  queryLimit = 10_000;
  /** How late queries show a new page. */
  queryLagMs = 0;
  private version = 0;
  private lastNumber = 0;

  constructor(readonly clock: Clock) {
    this.bot = this.addPerson('Colloquy', 'bot');
  }

  /** A number that was not used before. */
  nextNumber(): number {
    this.lastNumber += 1;
    return this.lastNumber;
  }

  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  addPerson(name: string, kind: Person['kind'] = 'person', id?: string): Person {
    const own = id ?? idOf(`person ${String(this.nextNumber())}`);
    const person = { id: own, name, kind, isGone: false };
    this.people.set(person.id, person);
    return person;
  }

  addSource(given: NewSource, author: Person): Source {
    const number = String(this.nextNumber());
    const at = this.clock.now();
    const source: Source = {
      id: idOf(`data source ${number}`),
      databaseId: idOf(`database ${number}`),
      ...given,
      createdAt: at,
      editedAt: at,
      createdBy: author,
      editedBy: author,
      inTrash: false,
      isShared: true,
    };
    this.sources.set(source.id, source);
    this.changes.notify();
    return source;
  }

  sourceOf(page: PageRecord): Source {
    const source = this.sources.get(page.sourceId);
    if (source === undefined) throw new Error('a page is always in a data source');
    return source;
  }

  /** Oldest first. */
  pagesIn(source: Source): PageRecord[] {
    return [...this.pages.values()].filter(({ sourceId }) => sourceId === source.id);
  }

  /** Differs when lists of queries have to be made anew: after a change, or when a late page is due. */
  get queryVersion(): string {
    const time = this.queryLagMs === 0 ? '' : this.clock.now().toISOString();
    return `${String(this.version)} ${time}`;
  }

  /** The pages that queries show, oldest first. */
  queriedPagesIn(source: Source): PageRecord[] {
    const shownMs = this.clock.now().getTime() - this.queryLagMs;
    return this.pagesIn(source).filter(({ createdAt }) => createdAt.getTime() <= shownMs);
  }

  addPage(source: Source, values: ReadonlyMap<string, Value>, author: Person): PageRecord {
    const ordinal = this.nextNumber();
    const at = this.clock.now();
    const page: PageRecord = {
      id: idOf(`page ${String(ordinal)}`),
      sourceId: source.id,
      ordinal,
      createdAt: at,
      editedAt: at,
      createdBy: author,
      editedBy: author,
      inTrash: false,
      values: new Map(values),
    };
    this.pages.set(page.id, page);
    this.reportPage('page.created', page, author, [...values.keys()]);
    this.reportContent(source, page, author);
    return page;
  }

  /** Equal values change nothing and cause no event. */
  editPage(page: PageRecord, values: ReadonlyMap<string, Value>, author: Person): void {
    const { columns } = this.sourceOf(page);
    const isNew = (column: Column): boolean => {
      const value = values.get(column.id);
      return value !== undefined && !isDeepStrictEqual(value, valueIn(page, column));
    };
    const updated = columns.filter(isNew).map(({ id }) => id);
    for (const [id, value] of values) page.values.set(id, value);
    if (updated.length === 0) return;
    this.touch(page, author);
    this.reportPage('page.properties_updated', page, author, updated);
  }

  trashPage(page: PageRecord, author: Person, inTrash = true): void {
    if (page.inTrash === inTrash) return;
    page.inTrash = inTrash;
    this.touch(page, author);
    this.reportPage(inTrash ? 'page.deleted' : 'page.undeleted', page, author);
    this.reportContent(this.sourceOf(page), page, author);
  }

  /** A value is moved to the column of the same name and type; without such a column it is lost. */
  movePage(page: PageRecord, to: Source, author: Person): void {
    const kept = this.sourceOf(page).columns.flatMap((column): [string, Value][] => {
      const value = page.values.get(column.id);
      const same = to.columns.find(
        ({ name, type }) => name === column.name && type === value?.type,
      );
      return value === undefined || same === undefined ? [] : [[same.id, value]];
    });
    page.values.clear();
    for (const [id, value] of kept) page.values.set(id, value);
    page.sourceId = to.id;
    this.touch(page, author);
    this.reportPage('page.moved', page, author);
  }

  trashSource(source: Source, author: Person, inTrash = true): void {
    if (source.inTrash === inTrash) return;
    source.inTrash = inTrash;
    this.reportSource(inTrash ? 'data_source.deleted' : 'data_source.undeleted', source, author);
  }

  /** Reports that the caller has changed columns. */
  schemaChanged(source: Source, schema: readonly SchemaChange[], author: Person): void {
    source.editedAt = this.clock.now();
    source.editedBy = author;
    this.reportSource('data_source.schema_updated', source, author, { schema });
  }

  private touch(page: PageRecord, author: Person): void {
    page.editedAt = this.clock.now();
    page.editedBy = author;
  }

  private reportPage(
    type: PageEvent,
    page: PageRecord,
    author: Person,
    updated: readonly string[] = [],
  ): void {
    const source = this.sourceOf(page);
    this.report({ type, at: this.clock.now(), author, source, page, updated });
  }

  private reportContent(source: Source, page: PageRecord, author: Person): void {
    this.reportSource('data_source.content_updated', source, author, { pages: [page.id] });
  }

  private reportSource(
    type: SourceEvent,
    source: Source,
    author: Person,
    more: { readonly pages?: readonly string[]; readonly schema?: readonly SchemaChange[] } = {},
  ): void {
    const { pages = [], schema = [] } = more;
    this.report({ type, at: this.clock.now(), author, source, pages, schema });
  }

  private report(change: WorkspaceChange): void {
    this.version += 1;
    for (const listener of this.listeners) listener(change);
    this.changes.notify();
  }
}
