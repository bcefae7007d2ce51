import type { CallContext } from './context';
import { createPage, getPage, getPageProperty, updatePage } from './pages';
import { getDatabase, getDataSource, queryDataSource, updateDataSource } from './sources';
import { getSelf, getUser, listUsers } from './users';

export type { CallContext } from './context';

/** Each gets parameters that the schema has accepted, and throws ApiError for what Notion refuses. */
const OPERATIONS = {
  getSelf,
  getUser,
  listUsers,
  getDatabase,
  getDataSource,
  updateDataSource,
  queryDataSource,
  createPage,
  getPage,
  updatePage,
  getPageProperty,
};

export type OperationName = keyof typeof OPERATIONS;

export function run(name: OperationName, context: CallContext, params: object): object {
  const operation = OPERATIONS[name] as (context: CallContext, params: object) => object;
  return operation(context, params);
}
