import type { WorkspaceChange } from '../state/workspace-change';

export type AggregatedChanges = [WorkspaceChange, ...WorkspaceChange[]];

/** Changes with the same key become one event when they follow each other closely. */
export function sameEvent(one: WorkspaceChange): string {
  return `${one.type} ${'page' in one ? one.page.id : one.source.id}`;
}

/** The key of the change that this one undoes: a page that is deleted and restored at once causes no event. */
export function undoneBy(one: WorkspaceChange): string | null {
  const opposite: Partial<Record<WorkspaceChange['type'], string>> = {
    'page.deleted': 'page.undeleted',
    'page.undeleted': 'page.deleted',
  };
  const type = opposite[one.type];
  return type === undefined || !('page' in one) ? null : `${type} ${one.page.id}`;
}
