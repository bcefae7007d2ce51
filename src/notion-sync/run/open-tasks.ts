import type { PageFilter, PageSorts } from '../api/notion-api';
import type { BoardSchema } from '../board/read-schema';
import type { PropertyNames } from '../board/property-names';

/**
 * What a run has to see, in one query: one person's open tasks, and tasks that show a rank although
 * they are on nobody's board any more: that person's closed ones, and those that nobody has. Notion
 * knows statuses by name; a task without one is open.
 */
export function boardFilterOf(
  userId: string,
  { statuses }: BoardSchema,
  names: PropertyNames,
): PageFilter {
  const isTheirs = { property: names.assignee, people: { contains: userId } };
  const isNobodys = { property: names.assignee, people: { is_empty: true as const } };
  const hasRank = { property: names.queueRank, number: { is_not_empty: true as const } };
  const closed = statuses.filter(({ isClosed }) => isClosed);
  const isOpen = closed.map(({ name }) => ({
    property: names.status,
    status: { does_not_equal: name },
  }));
  return {
    or: [
      { and: [isTheirs, ...isOpen] },
      { and: [isTheirs, hasRank] },
      { and: [isNobodys, hasRank] },
    ],
  };
}

/** An order that nobody's edit changes between two batches. */
export const OLDEST_FIRST: PageSorts = [{ timestamp: 'created_time', direction: 'ascending' }];
