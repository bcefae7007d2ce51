import type {
  DataSourceContentUpdatedWebhookPayload,
  DataSourceDeletedWebhookPayload,
  DataSourceSchemaUpdatedWebhookPayload,
  DataSourceUndeletedWebhookPayload,
  PageCreatedWebhookPayload,
  PageDeletedWebhookPayload,
  PageMovedWebhookPayload,
  PagePropertiesUpdatedWebhookPayload,
  PageUndeletedWebhookPayload,
} from '@notionhq/client';
import { randomUUID } from 'node:crypto';
import type { ApiVersion } from '../http/versions';
import type { WorkspaceChange } from '../state/workspace-change';
import { idOf } from '../state/ids';
import type { Person } from '../state/person';
import type { WorkspaceState } from '../state/workspace-state';

/** Agents are documented but missing from the SDK's types. */
type Author = { readonly id: string; readonly type: Person['kind'] };
type Open<Payload> = Payload extends { authors: unknown }
  ? Omit<Payload, 'authors'> & { readonly authors: readonly Author[] }
  : never;

/** The payload of a webhook: it has ids and no values. */
export type WebhookEvent = Open<
  | PageCreatedWebhookPayload
  | PageDeletedWebhookPayload
  | PageMovedWebhookPayload
  | PagePropertiesUpdatedWebhookPayload
  | PageUndeletedWebhookPayload
  | DataSourceContentUpdatedWebhookPayload
  | DataSourceDeletedWebhookPayload
  | DataSourceSchemaUpdatedWebhookPayload
  | DataSourceUndeletedWebhookPayload
>;

/** Makes one event of changes of one kind to one page or data source, oldest first. */
export function eventOf(
  state: WorkspaceState,
  version: ApiVersion,
  changes: readonly [WorkspaceChange, ...WorkspaceChange[]],
): WebhookEvent {
  const [first] = changes;
  const { source } = first;
  const authors = new Map(changes.map(({ author }) => [author.id, author.kind]));
  const common = {
    // Unique, because receivers recognise repeated events by it.
    id: randomUUID(),
    timestamp: (changes.at(-1) ?? first).at.toISOString(),
    workspace_id: state.id,
    workspace_name: state.name,
    subscription_id: idOf('subscription'),
    integration_id: idOf('integration'),
    authors: [...authors].map(([id, type]) => ({ id, type })),
    attempt_number: 1,
    api_version: version,
  };
  const inDatabase = { id: source.databaseId, type: 'database' as const };
  if ('page' in first) {
    const entity = { id: first.page.id, type: 'page' as const };
    const parent = { ...inDatabase, data_source_id: source.id };
    if (first.type !== 'page.properties_updated') {
      return { ...common, type: first.type, entity, data: { parent } };
    }
    const updated = changes.flatMap((one) => ('page' in one ? one.updated : []));
    const updated_properties = [...new Set(updated)].map((id) => encodeURIComponent(id));
    return { ...common, type: first.type, entity, data: { parent, updated_properties } };
  }
  const entity = { id: source.id, type: 'data_source' as const };
  const parts = changes.flatMap((one) => ('page' in one ? [] : [one]));
  switch (first.type) {
    case 'data_source.content_updated': {
      const ids = [...new Set(parts.flatMap(({ pages }) => pages))];
      const updated_blocks = ids.map((id) => ({ id, type: 'page' as const }));
      return { ...common, type: first.type, entity, data: { parent: inDatabase, updated_blocks } };
    }
    case 'data_source.schema_updated': {
      const updated_properties = parts.flatMap(({ schema }) => schema);
      return {
        ...common,
        type: first.type,
        entity,
        data: { parent: inDatabase, updated_properties },
      };
    }
    case 'data_source.deleted':
    case 'data_source.undeleted':
      return { ...common, type: first.type, entity, data: { parent: inDatabase } };
  }
}
