import type { PageRecord } from './page-record';
import type { Person } from './person';
import type { Source } from './source';

export type PageEvent =
  'page.created' | 'page.properties_updated' | 'page.deleted' | 'page.undeleted' | 'page.moved';

export type SourceEvent =
  | 'data_source.content_updated'
  | 'data_source.schema_updated'
  | 'data_source.deleted'
  | 'data_source.undeleted';

export interface SchemaChange {
  readonly id: string;
  readonly name: string | null;
  readonly action: 'created' | 'updated' | 'deleted';
}

interface ChangeFields {
  readonly at: Date;
  readonly author: Person;
  readonly source: Source;
}

/** Something that webhooks report. */
export type WorkspaceChange = ChangeFields &
  (
    | {
        readonly type: PageEvent;
        readonly page: PageRecord;
        /** Ids of the columns whose values changed. */
        readonly updated: readonly string[];
      }
    | {
        readonly type: SourceEvent;
        /** Pages that came or went. */
        readonly pages: readonly string[];
        readonly schema: readonly SchemaChange[];
      }
  );
