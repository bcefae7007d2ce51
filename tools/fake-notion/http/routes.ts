import type { OperationName } from '../operations';
import type { Params } from '../schema/call-schema';

export interface Route {
  readonly operation: OperationName;
  /** Parameters that the path carries. */
  readonly params: Params;
}

const ROUTES: readonly (readonly [method: string, path: RegExp, operation: OperationName])[] = [
  ['GET', /^users\/me$/, 'getSelf'],
  ['GET', /^users\/(?<user_id>[^/]+)$/, 'getUser'],
  ['GET', /^users$/, 'listUsers'],
  ['GET', /^databases\/(?<database_id>[^/]+)$/, 'getDatabase'],
  ['GET', /^data_sources\/(?<data_source_id>[^/]+)$/, 'getDataSource'],
  ['PATCH', /^data_sources\/(?<data_source_id>[^/]+)$/, 'updateDataSource'],
  ['POST', /^data_sources\/(?<data_source_id>[^/]+)\/query$/, 'queryDataSource'],
  ['POST', /^pages$/, 'createPage'],
  ['GET', /^pages\/(?<page_id>[^/]+)$/, 'getPage'],
  ['PATCH', /^pages\/(?<page_id>[^/]+)$/, 'updatePage'],
  ['GET', /^pages\/(?<page_id>[^/]+)\/properties\/(?<property_id>[^/]+)$/, 'getPageProperty'],
];

/** `pathname` begins with /v1/; null: there is no such operation. */
export function routeOf(method: string, pathname: string): Route | null {
  const rest = /^\/v1\/(.+?)\/?$/.exec(pathname)?.[1] ?? '';
  for (const [wanted, path, operation] of ROUTES) {
    const match = wanted === method ? path.exec(rest) : null;
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [
      name,
      decodeURIComponent(text),
    ]);
    return { operation, params: Object.fromEntries(params) as Params };
  }
  return null;
}

/** Of the query: lists stay lists, page_size is a number. */
export function queryParams(query: URLSearchParams): Params {
  const params: Record<string, unknown> = {};
  for (const [name, text] of query) {
    if (name === 'page_size') params[name] = Number(text);
    else if (name === 'filter_properties') params[name] = query.getAll(name);
    else params[name] = text;
  }
  return params;
}
