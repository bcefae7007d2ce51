import type { PageFilter, PageSorts } from '../api/notion-api';
import type { BoardSchema, PropertyNames } from '../board';

/** One person's tasks that are not closed. Notion knows statuses by name; one without is open. */
export function openTasksOf(
  userId: string,
  { statuses }: BoardSchema,
  names: PropertyNames,
): PageFilter {
  const closed = statuses.filter(({ isClosed }) => isClosed);
  return {
    and: [
      { property: names.assignee, people: { contains: userId } },
      ...closed.map(({ name }) => ({ property: names.status, status: { does_not_equal: name } })),
    ],
  };
}

/** An order that nobody's edit changes between two batches. */
export const OLDEST_FIRST: PageSorts = [{ timestamp: 'created_time', direction: 'ascending' }];
