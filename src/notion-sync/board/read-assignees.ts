import { notionIdOf } from './notion-id';
import type { PropertyNames } from './property-names';
import type { PropertyProblem } from './property-problem';
import { PropertyReader } from './read-property';

/** To whom a page belongs, or why its properties do not tell. */
export type Assignees =
  | { readonly kind: 'read'; readonly userIds: readonly string[] }
  | { readonly kind: 'unreadable'; readonly problem: PropertyProblem };

/** Whoever has left the workspace is still named by their id. */
export function readAssignees(
  properties: Readonly<Record<string, unknown>>,
  names: PropertyNames,
): Assignees {
  const reader = new PropertyReader(properties, names);
  const value = reader.value('assignee');
  const [problem] = reader.problems;
  if (problem !== undefined) return { kind: 'unreadable', problem };
  const ids = (value?.people ?? []).flatMap(({ id }) => notionIdOf(id) ?? []);
  return { kind: 'read', userIds: [...new Set(ids)].sort() };
}
