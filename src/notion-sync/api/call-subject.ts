import type { ErrorFields } from '../../common/errors';

/** One call in words that may be logged: ids and names of properties, never a value. */
export interface CallSubject {
  readonly endpoint:
    | 'query_data_source'
    | 'retrieve_data_source'
    | 'retrieve_page'
    | 'update_page'
    | 'create_page'
    | 'who_am_i'
    | 'list_users'
    | 'add_property';
  readonly pageId?: string;
  readonly dataSourceId?: string;
  /** Names of the properties that the call speaks of. */
  readonly properties?: readonly string[];
}

export function fieldsOf({ endpoint, pageId, dataSourceId }: CallSubject): ErrorFields {
  return {
    endpoint,
    ...(pageId === undefined ? {} : { pageId }),
    ...(dataSourceId === undefined ? {} : { dataSourceId }),
  };
}
