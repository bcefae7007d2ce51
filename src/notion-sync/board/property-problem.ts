import { PROPERTY_TYPES, type PropertyKey } from './property-names';

/** Why a property cannot be used: renamed or removed, of another type, of a strange shape, or without statuses that close a task. */
export interface PropertyProblem {
  readonly key: PropertyKey;
  readonly name: string;
  readonly found: 'missing' | 'unreadable' | 'no_complete_group' | { readonly type: string };
}

/** A sentence for an operator. */
export function describeProblem({ key, name, found }: PropertyProblem): string {
  const expected = PROPERTY_TYPES[key];
  const property = `The property "${name}"`;
  if (found === 'missing') {
    return `${property} is missing: give it its name back, or set ${settingOf(key)}.`;
  }
  if (found === 'unreadable') return `${property} has a value that is no ${expected}.`;
  if (found === 'no_complete_group') {
    return `${property} has no group "Complete", so nobody can tell which tasks are closed: move the statuses of closed tasks into that group.`;
  }
  return `${property} is of type ${found.type}; expected ${expected}.`;
}

function settingOf(key: PropertyKey): string {
  return `NOTION_PROPERTY_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
