import { z } from 'zod';
import type { PropertyProblem } from '../board/property-problem';
import { notionIdOf } from '../board/notion-id';
import { readAssignees } from '../board/read-assignees';
import type { PropertyNames } from '../board/property-names';

/** A page as Notion tells it, in the API and in an automation's payload. */
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
 * What a page says about whose board it is on.
 *
 *   ours        it belongs to these (to nobody: an empty list)
 *   trashed     it did, and is in the trash
 *   elsewhere   it is in another data source, or in none
 *   unclear     it names its database, which may hold more data sources than ours, or nothing
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

/** Null: it is no page. */
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
