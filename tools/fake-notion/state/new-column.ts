import { idOf } from './ids';
import type { Column, Option, StatusGroup } from './source';
import type { ColumnType } from './values';
import type { WorkspaceState } from './workspace-state';

export interface ColumnPlan {
  readonly type: ColumnType;
  /** Names of a select's options. */
  readonly options?: readonly string[];
  /** Options of a status by their group; Notion's own if none are given. */
  readonly groups?: StatusPlan;
  readonly relatedTo?: string | null;
}

/** Names of a status's options, by the group that they belong to. */
export interface StatusPlan {
  readonly 'To-do': readonly string[];
  readonly 'In progress': readonly string[];
  readonly Complete: readonly string[];
}

const NOTIONS_OWN: StatusPlan = {
  'To-do': ['Not started'],
  'In progress': ['In progress'],
  Complete: ['Done'],
};

export function newColumn(state: WorkspaceState, name: string, plan: ColumnPlan): Column {
  const { type, relatedTo = null } = plan;
  // Ids of properties are a few characters, and may need escaping in an address.
  const number = state.nextNumber();
  const short = idOf(`column ${String(number)}`).slice(0, 2);
  const id = type === 'title' ? 'title' : `:${short}${number.toString(36)}`;
  const groups = type === 'status' ? (plan.groups ?? NOTIONS_OWN) : null;
  const names = groups === null ? (plan.options ?? []) : Object.values(groups).flat();
  const options = (names as readonly string[]).map((one) => newOption(id, one));
  return {
    id,
    name,
    type,
    description: null,
    options,
    groups: groups === null ? [] : groupsOf(groups, options),
    relatedTo,
  };
}

export function newOption(columnId: string, name: string): Option {
  return { id: idOf(`option ${columnId} ${name}`), name, color: 'default', description: null };
}

function groupsOf(plan: StatusPlan, options: readonly Option[]): StatusGroup[] {
  return Object.entries(plan).map(([name, names]: [string, readonly string[]]) => ({
    id: idOf(`group ${name}`),
    name,
    color: 'default',
    option_ids: options.filter((option) => names.includes(option.name)).map(({ id }) => id),
  }));
}
