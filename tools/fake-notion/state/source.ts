import type { DataSourceObjectResponse } from '@notionhq/client';
import type { Person } from './person';
import type { ColumnType } from './values';

type StatusConfig = Extract<
  DataSourceObjectResponse['properties'][string],
  { type: 'status' }
>['status'];
export type Option = StatusConfig['options'][number];
export type StatusGroup = StatusConfig['groups'][number];

export interface Column {
  /** Short; it stays the same when the name changes. */
  readonly id: string;
  name: string;
  type: ColumnType;
  description: string | null;
  /** Of a select or a status. */
  options: Option[];
  /** Of a status: To-do, In progress, Complete. */
  groups: StatusGroup[];
  /** The data source that a relation leads to. */
  relatedTo: string | null;
}

/** A database with its only data source. */
export interface Source {
  readonly id: string;
  readonly databaseId: string;
  title: string;
  columns: Column[];
  readonly createdAt: Date;
  editedAt: Date;
  readonly createdBy: Person;
  editedBy: Person;
  inTrash: boolean;
  /** Whether the connection may see it. */
  isShared: boolean;
}

/** By its name or its id. */
export function findColumn(source: Source, key: string): Column | null {
  const byId = source.columns.find(({ id }) => id === key || encodeURIComponent(id) === key);
  return source.columns.find(({ name }) => name === key) ?? byId ?? null;
}

export function optionNamed({ options }: Column, name: string): Option | null {
  return options.find((option) => option.name === name) ?? null;
}

export function optionWithId({ options }: Column, id: string | null): Option | null {
  return options.find((option) => option.id === id) ?? null;
}
