import type { PageObjectResponse } from '@notionhq/client';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { PageRepository } from '../sync/page.repository';
import { PropertyIdRepository } from './event.repository';
import { BoardSchedule } from '../sync/board-schedule';
import { z } from 'zod';
import {
  type PropertyProblem,
  notionIdOf,
  readAssignees,
  type PropertyNames,
} from '../board/board-schema';

/** `unassigned`: no board has changed. */
type MarkOutcome = 'marked' | 'unassigned';

/** The boards that change with pages: those of the present and of the previous assignees. */
@Injectable()
export class PageChanges {
  constructor(
    private readonly pages: PageRepository,
    private readonly boards: BoardSchedule,
    private readonly propertyIds: PropertyIdRepository,
  ) {}

  /** The known assignees of these pages, to be changed and then stored in the same commit. */
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

  /** Whether the page has every property that the sync uses. */
  hasAllOurs(properties: PageObjectResponse['properties']): boolean {
    return this.propertyIds.areAllIn(properties);
  }

  async areIdsKnown(tx: Tx): Promise<boolean> {
    return (await this.propertyIds.known(tx)) !== null;
  }

  /** Stores the ids of the properties of a page or of the schema: events name properties by id. */
  learn(tx: Tx, properties: Readonly<Record<string, unknown>>): Promise<void> {
    return this.propertyIds.learn(tx, properties);
  }
}

/** Collects changes of pages, in order, before they are stored. */
export class ChangeSet {
  readonly marked = new Set<string>();
  readonly remembered = new Map<string, readonly string[]>();
  readonly forgotten = new Set<string>();

  constructor(private readonly known: Map<string, readonly string[]>) {}

  /** Whether the page's assignees are known without reading it. */
  isKnown(pageId: string): boolean {
    return this.known.has(pageId);
  }

  /** The page has these assignees now. */
  belongsTo(pageId: string, assigneeIds: readonly string[]): MarkOutcome {
    const marked = this.mark(pageId, assigneeIds);
    this.known.set(pageId, assigneeIds);
    this.remembered.set(pageId, assigneeIds);
    this.forgotten.delete(pageId);
    return marked;
  }

  /** The page is no longer on the board; `lastIds`: its last assignees, if known. */
  left(pageId: string, lastIds: readonly string[] = []): MarkOutcome {
    const marked = this.mark(pageId, lastIds);
    this.known.delete(pageId);
    this.remembered.delete(pageId);
    this.forgotten.add(pageId);
    return marked;
  }

  /** The page has the same assignees as before, as far as is known. */
  changed(pageId: string): MarkOutcome {
    return this.mark(pageId, []);
  }

  private mark(pageId: string, newIds: readonly string[]): MarkOutcome {
    const ids = [...(this.known.get(pageId) ?? []), ...newIds];
    for (const id of ids) this.marked.add(id);
    return ids.length === 0 ? 'unassigned' : 'marked';
  }
}

/** A page as it is in the API and in an automation's payload. */
const PAGE = z.object({
  object: z.literal('page'),
  id: z.string(),
  parent: z
    .object({ type: z.string(), data_source_id: z.string().nullish() })
    .nullish()
    .catch(null),
  in_trash: z.boolean().nullish().catch(null),
  archived: z.boolean().nullish().catch(null),
  properties: z.record(z.string(), z.unknown()).nullish().catch(null),
});

/**
 * Whose board a page is on.
 *
 *   ours        the boards of these people (an empty list: nobody's)
 *   trashed     it is in the trash; these were its assignees
 *   elsewhere   it is in another data source, or in none
 *   unclear     it names only its database, which may hold other data sources too, or nothing
 *   unreadable  the assignee property is renamed, retyped, or not a part of what was sent
 */
export type PageReading =
  | { readonly kind: 'ours' | 'trashed'; readonly assigneeIds: readonly string[] }
  | { readonly kind: 'elsewhere'; readonly dataSourceId: string | null }
  | { readonly kind: 'unclear'; readonly assigneeIds: readonly string[] | null }
  | { readonly kind: 'unreadable'; readonly problem: PropertyProblem };

export interface ReadPage {
  readonly pageId: string;
  readonly reading: PageReading;
}

/** Null: it is not a page. */
export function readPage(
  json: unknown,
  board: { readonly dataSourceId: string; readonly names: PropertyNames },
): ReadPage | null {
  const { data: page } = PAGE.safeParse(json);
  const pageId = notionIdOf(page?.id ?? '');
  if (page === undefined || pageId === null) return null;
  return { pageId, reading: readingOf(page, board) };
}

function readingOf(
  page: z.infer<typeof PAGE>,
  board: { readonly dataSourceId: string; readonly names: PropertyNames },
): PageReading {
  const { parent } = page;
  const dataSourceId = notionIdOf(parent?.data_source_id ?? '');
  const isTrashed = page.in_trash === true || page.archived === true;
  const assignees = readAssignees(page.properties ?? {}, board.names);
  if (dataSourceId === null) {
    const isUnclear = parent == null || parent.type === 'database_id';
    if (!isUnclear) return { kind: 'elsewhere', dataSourceId: null };
    const isTelling = assignees.kind === 'read' && !isTrashed;
    return { kind: 'unclear', assigneeIds: isTelling ? assignees.userIds : null };
  }
  if (dataSourceId !== board.dataSourceId) return { kind: 'elsewhere', dataSourceId };
  if (assignees.kind === 'read') {
    return { kind: isTrashed ? 'trashed' : 'ours', assigneeIds: assignees.userIds };
  }
  return isTrashed ? { kind: 'trashed', assigneeIds: [] } : assignees;
}
