import { type ColumnPlan, newColumn, type StatusPlan } from '../state/new-column';
import type { Column } from '../state/source';
import type { ColumnType } from '../state/values';
import type { WorkspaceState } from '../state/workspace-state';
import type { Board } from './board';

type Plain = Exclude<ColumnType, 'relation'>;

/** A column: its type, or its type with options, or the board that it relates to. */
export type ColumnSpec =
  | Plain
  | { readonly status: StatusPlan }
  | { readonly select: readonly string[] }
  | { readonly relation: 'itself' | Board };

export type ColumnSpecs = Readonly<Record<string, ColumnSpec>>;

/** The names that Colloquy expects by default. */
export const USUAL_COLUMNS: ColumnSpecs = {
  Name: 'title',
  Assignee: 'people',
  Importance: 'number',
  Status: {
    status: {
      'To-do': ['Not started'],
      'In progress': ['In progress', 'In review'],
      Complete: ['Done', 'Dropped'],
    },
  },
  Due: 'date',
  Estimate: 'number',
  'Task Started Date': 'date',
  'Parent Task': { relation: 'itself' },
  'Blocked By': { relation: 'itself' },
  'Queue Rank': 'number',
  'Projected Completion': 'date',
  'At risk': 'checkbox',
};

export function columnOf(
  state: WorkspaceState,
  name: string,
  spec: ColumnSpec,
  ownId: string,
): Column {
  return newColumn(state, name, planOf(spec, ownId));
}

function planOf(spec: ColumnSpec, ownId: string): ColumnPlan {
  if (typeof spec === 'string') return { type: spec };
  if ('status' in spec) return { type: 'status', groups: spec.status };
  if ('select' in spec) return { type: 'select', options: spec.select };
  const { relation } = spec;
  return { type: 'relation', relatedTo: relation === 'itself' ? ownId : relation.id };
}
