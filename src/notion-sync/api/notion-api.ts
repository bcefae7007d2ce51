import {
  type CreatePageParameters,
  type DataSourceObjectResponse,
  type PageObjectResponse,
  type QueryDataSourceParameters,
  type UpdateDataSourceParameters,
  type UpdatePageParameters,
  isFullDataSource,
  isFullPage,
} from '@notionhq/client';
import { Injectable } from '@nestjs/common';
import type { PermitHolder } from './limiter/notion-limiter';
import { NotionClient } from './notion-client';
import { type CallSubject, fieldsOf, NotionRefusedError } from './errors';

const PAGE_SIZE = 100;

export type PageFilter = NonNullable<QueryDataSourceParameters['filter']>;
export type PageSorts = NonNullable<QueryDataSourceParameters['sorts']>;
export type NewProperties = NonNullable<CreatePageParameters['properties']>;
export type NewColumn = NonNullable<NonNullable<UpdateDataSourceParameters['properties']>[string]>;
export type ChangedProperties = NonNullable<UpdatePageParameters['properties']>;

/** One batch of a query. */
export interface QueriedPages {
  readonly pages: readonly PageObjectResponse[];
  /** For the next batch; null: this was the last. */
  readonly nextCursor: string | null;
  /** False: Notion has more matching pages and does not return them. */
  readonly isComplete: boolean;
}

/** One batch of the entries of a relation, of which a page holds only the first 25. */
export interface RelatedPages {
  readonly pageIds: readonly string[];
  readonly nextCursor: string | null;
}

export interface Person {
  readonly id: string;
  readonly name: string | null;
  /** Null: none, or the integration may not read it. */
  readonly email: string | null;
}

export interface PeopleBatch {
  readonly people: readonly Person[];
  readonly nextCursor: string | null;
}

/**
 * The methods of Notion that the sync uses. Each is one HTTP call with its own permit; only
 * `NotionRetries` retries them. Errors: see NotionClient.
 */
@Injectable()
export class NotionApi {
  constructor(private readonly call: NotionClient) {}

  /** Up to 100 matching pages. `propertyIds` limits the properties that are returned. */
  async queryDataSource(
    holder: PermitHolder,
    query: {
      dataSourceId: string;
      filter?: PageFilter;
      sorts?: PageSorts;
      cursor?: string | null;
      propertyIds?: readonly string[];
    },
  ): Promise<QueriedPages> {
    const { dataSourceId, filter, sorts, cursor, propertyIds } = query;
    const response = await this.call.run(
      holder,
      { endpoint: 'query_data_source', dataSourceId, properties: propertiesIn([filter, sorts]) },
      (client) =>
        client.dataSources.query({
          data_source_id: dataSourceId,
          page_size: PAGE_SIZE,
          result_type: 'page',
          ...(filter === undefined ? {} : { filter }),
          ...(sorts === undefined ? {} : { sorts }),
          ...(cursor == null ? {} : { start_cursor: cursor }),
          ...(propertyIds === undefined ? {} : { filter_properties: [...propertyIds] }),
        }),
    );
    return {
      pages: response.results.filter((found) => found.object === 'page').filter(isFullPage),
      nextCursor: response.has_more ? response.next_cursor : null,
      isComplete: response.request_status?.type !== 'incomplete',
    };
  }

  /** Sets absolute values, so a change may be repeated. */
  async updatePage(
    holder: PermitHolder,
    change: { pageId: string; properties?: ChangedProperties; inTrash?: boolean },
  ): Promise<PageObjectResponse> {
    const { pageId, properties, inTrash } = change;
    const subject: CallSubject = {
      endpoint: 'update_page',
      pageId,
      properties: Object.keys(properties ?? {}),
    };
    const response = await this.call.run(holder, subject, (client) =>
      client.pages.update({
        page_id: pageId,
        ...(properties === undefined ? {} : { properties }),
        ...(inTrash === undefined ? {} : { in_trash: inTrash }),
      }),
    );
    return fullPage(response, subject);
  }

  /** Must not be repeated after an error with `mayHaveArrived`, or there would be two pages. */
  async createPage(
    holder: PermitHolder,
    page: { dataSourceId: string; properties: NewProperties },
  ): Promise<PageObjectResponse> {
    const { dataSourceId, properties } = page;
    const subject: CallSubject = {
      endpoint: 'create_page',
      dataSourceId,
      properties: Object.keys(properties),
    };
    const response = await this.call.run(holder, subject, (client) =>
      client.pages.create({
        parent: { type: 'data_source_id', data_source_id: dataSourceId },
        properties,
      }),
    );
    return fullPage(response, subject);
  }

  async retrievePage(holder: PermitHolder, pageId: string): Promise<PageObjectResponse> {
    const subject: CallSubject = { endpoint: 'retrieve_page', pageId };
    const response = await this.call.run(holder, subject, (client) =>
      client.pages.retrieve({ page_id: pageId }),
    );
    return fullPage(response, subject);
  }

  /** Up to 100 entries of a page's relation. `propertyId`: as Notion writes it. */
  async relatedPages(
    holder: PermitHolder,
    of: { pageId: string; propertyId: string; cursor: string | null },
  ): Promise<RelatedPages> {
    const { pageId, propertyId, cursor } = of;
    const subject: CallSubject = { endpoint: 'retrieve_page_property', pageId };
    const response = await this.call.run(holder, subject, (client) =>
      client.pages.properties.retrieve({
        page_id: pageId,
        property_id: propertyId,
        page_size: PAGE_SIZE,
        ...(cursor === null ? {} : { start_cursor: cursor }),
      }),
    );
    if (response.object !== 'list') throw unreadable(subject);
    const pageIds = response.results.flatMap((item) =>
      item.type === 'relation' ? [item.relation.id] : [],
    );
    return { pageIds, nextCursor: response.has_more ? response.next_cursor : null };
  }

  /** The schema: properties with their ids and types. */
  async retrieveDataSource(
    holder: PermitHolder,
    dataSourceId: string,
  ): Promise<DataSourceObjectResponse> {
    const subject: CallSubject = { endpoint: 'retrieve_data_source', dataSourceId };
    const response = await this.call.run(holder, subject, (client) =>
      client.dataSources.retrieve({ data_source_id: dataSourceId }),
    );
    if (isFullDataSource(response)) return response;
    throw unreadable(subject);
  }

  /** Adds a property that is missing; for an existing one it would change the type. */
  async addProperty(
    holder: PermitHolder,
    { dataSourceId, name, column }: { dataSourceId: string; name: string; column: NewColumn },
  ): Promise<void> {
    const subject: CallSubject = { endpoint: 'add_property', dataSourceId, properties: [name] };
    await this.call.run(holder, subject, (client) =>
      client.dataSources.update({ data_source_id: dataSourceId, properties: { [name]: column } }),
    );
  }

  /** Up to 100 people of the workspace. */
  async listPeople(holder: PermitHolder, cursor: string | null): Promise<PeopleBatch> {
    const response = await this.call.run(holder, { endpoint: 'list_users' }, (client) =>
      client.users.list({
        page_size: PAGE_SIZE,
        ...(cursor === null ? {} : { start_cursor: cursor }),
      }),
    );
    const people = response.results.flatMap((user) =>
      user.type === 'person'
        ? [{ id: user.id, name: user.name, email: user.person.email ?? null }]
        : [],
    );
    return { people, nextCursor: response.has_more ? response.next_cursor : null };
  }

  /** The integration's own user: the author of what it writes. */
  async whoAmI(holder: PermitHolder): Promise<{ botId: string; name: string | null }> {
    const { id, name } = await this.call.run(holder, { endpoint: 'who_am_i' }, (client) =>
      client.users.me({}),
    );
    return { botId: id, name };
  }
}

function fullPage(
  response: Parameters<typeof isFullPage>[0],
  subject: CallSubject,
): PageObjectResponse {
  if (isFullPage(response)) return response;
  throw unreadable(subject);
}

/** Notion leaves out what the integration may not read. */
function unreadable(subject: CallSubject): NotionRefusedError {
  return new NotionRefusedError(
    'Notion returned an object without its content: give the integration the right to read content',
    { fields: fieldsOf(subject) },
  );
}

/** Every `property` in a filter or a sort. */
function propertiesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(propertiesIn);
  if (typeof value !== 'object' || value === null) return [];
  const own = 'property' in value && typeof value.property === 'string' ? [value.property] : [];
  return [...own, ...Object.values(value).flatMap(propertiesIn)];
}
