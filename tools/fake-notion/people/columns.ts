import { type ColumnPlan, newColumn, type StatusPlan } from '../world/new-column';
import type { Column } from '../world/source';
import type { ColumnType } from '../world/values';
import type { World } from '../world/world';
import type { Board } from './board';

type Plain = Exclude<ColumnType, 'relation'>;

/** A column: its type, or its type with options, or the board that it relates to. */
export type ColumnSaid =
  | Plain
  | { readonly status: StatusPlan }
  | { readonly select: readonly string[] }
  | { readonly relation: 'itself' | Board };

export type ColumnsSaid = Readonly<Record<string, ColumnSaid>>;

/** The names that Colloquy expects by default. */
export const USUAL_COLUMNS: ColumnsSaid = {
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

export function columnOf(world: World, name: string, said: ColumnSaid, ownId: string): Column {
  return newColumn(world, name, planOf(said, ownId));
}

function planOf(said: ColumnSaid, ownId: string): ColumnPlan {
  if (typeof said === 'string') return { type: said };
  if ('status' in said) return { type: 'status', groups: said.status };
  if ('select' in said) return { type: 'select', options: said.select };
  const { relation } = said;
  return { type: 'relation', relatedTo: relation === 'itself' ? ownId : relation.id };
}
