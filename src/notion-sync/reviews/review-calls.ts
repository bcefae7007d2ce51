import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
import type { JobFlow } from '../../jobs';
import { NotionNotFoundError, NotionRefusedError } from '../api/errors';
import {
  type ChangedProperties,
  type NewProperties,
  NotionApi,
  type PageFilter,
  type QueriedPages,
} from '../api/notion-api';
import { NotionRetries } from '../api/notion-calls';
import type { PermitHolder } from '../api/limiter/notion-limiter';
import { readReviewBoard, reviewNames } from './review-board';
import { titleDigestOf } from './review-page';
import type { ReviewRow } from './review.repository';

/** The calls to Notion for reviews, retried as far as that is safe. */
@Injectable()
export class ReviewCalls {
  private readonly dataSourceId: string;
  private readonly names;
  /**
   * For this long after a create may have been under way, a query may not show its page: the call
   * arrives within its timeout, and queries are late.
   */
  readonly unseenMs: number;

  constructor(
    settings: Settings,
    private readonly api: NotionApi,
    private readonly retries: NotionRetries,
  ) {
    this.unseenMs = settings.notion.timeoutMs + QUERY_LAG_MS;
    this.dataSourceId = settings.notionSync.dataSourceId;
    this.names = reviewNames(settings);
  }

  async schema(caller: ReviewCaller): Promise<Readonly<Record<string, unknown>>> {
    const { properties } = await this.call(caller, () =>
      this.api.retrieveDataSource(caller.holder, this.dataSourceId),
    );
    return properties;
  }

  /** Never repeated: after an error with `mayHaveArrived`, look the page up. */
  async create(caller: ReviewCaller, properties: NewProperties): Promise<string> {
    const { id } = await this.call(
      caller,
      () => this.api.createPage(caller.holder, { dataSourceId: this.dataSourceId, properties }),
      false,
    );
    return id;
  }

  /** False: the page is gone, or in the trash. */
  update(caller: ReviewCaller, pageId: string, properties: ChangedProperties): Promise<boolean> {
    return this.onPage(caller, pageId, () =>
      this.api.updatePage(caller.holder, { pageId, properties }),
    );
  }

  /** Puts the page into the trash; one that is gone already is fine. */
  async trash(caller: ReviewCaller, pageId: string): Promise<void> {
    await this.onPage(caller, pageId, () =>
      this.api.updatePage(caller.holder, { pageId, inTrash: true }),
    );
  }

  /**
   * Pages that the create of this row may have made, the likeliest first: found by their link, or without
   * one by their title among the pages created since.
   */
  async lookUp(caller: ReviewCaller, row: ReviewRow): Promise<string[]> {
    const { linkProperty, conversationId } = row;
    if (linkProperty === null || conversationId === null) return this.lookUpByTitle(caller, row);
    try {
      const filter = { property: linkProperty, url: { contains: conversationId } };
      return (await this.query(caller, filter)).map(({ id }) => id);
    } catch (error) {
      // The property is no longer of type URL, so it finds no page.
      if (!(error instanceof NotionRefusedError)) throw error;
      return this.lookUpByTitle(caller, row);
    }
  }

  private async lookUpByTitle(caller: ReviewCaller, row: ReviewRow): Promise<string[]> {
    const { titleDigest, begunAt } = row;
    if (titleDigest === null || begunAt === null) return [];
    const since = new Date(begunAt.getTime() - CLOCKS_APART_MS).toISOString();
    const isNew = { timestamp: 'created_time', created_time: { on_or_after: since } } as const;
    const { linkProperty } = readReviewBoard(await this.schema(caller), this.names, null);
    // This page was created without a link there, so a page with one is another interview's.
    const othersHaveLinks = linkProperty !== null && linkProperty !== row.linkProperty;
    const filter: PageFilter = othersHaveLinks
      ? { and: [isNew, { property: linkProperty, url: { is_empty: true } }] }
      : isNew;
    return (await this.query(caller, filter))
      .filter((page) => titleDigestOf(page.title) === titleDigest)
      .map(({ id }) => id);
  }

  private async query(
    caller: ReviewCaller,
    filter: PageFilter,
  ): Promise<{ id: string; title: string }[]> {
    const found: { id: string; title: string }[] = [];
    let cursor: string | null = null;
    do {
      const query: Parameters<NotionApi['queryDataSource']>[1] = {
        dataSourceId: this.dataSourceId,
        filter,
        sorts: [...OLDEST_FIRST],
        cursor,
        propertyIds: ['title'],
      };
      const { pages, nextCursor }: QueriedPages = await this.call(caller, () =>
        this.api.queryDataSource(caller.holder, query),
      );
      found.push(...pages.map((page) => ({ id: page.id, title: titleOf(page) })));
      cursor = nextCursor;
    } while (cursor !== null);
    return found;
  }

  private async onPage(
    caller: ReviewCaller,
    pageId: string,
    call: () => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await this.call(caller, call);
      return true;
    } catch (error) {
      if (error instanceof NotionNotFoundError) return false;
      // Notion refuses every change of a page in the trash.
      if (!(error instanceof NotionRefusedError)) throw error;
      const page = await this.call(caller, () => this.api.retrievePage(caller.holder, pageId));
      if (page.in_trash) return false;
      throw error;
    }
  }

  private call<T>({ flow }: ReviewCaller, call: () => Promise<T>, isRepeatable = true): Promise<T> {
    return this.retries.forJob(flow, call, { isRepeatable });
  }
}

/** The largest difference between Notion's clock and ours, including Notion's rounding to minutes. */
const CLOCKS_APART_MS = 5 * 60_000;
/** How late a query may show a new page. Notion names no bound. */
export const QUERY_LAG_MS = 60_000;
const OLDEST_FIRST = [{ timestamp: 'created_time', direction: 'ascending' }] as const;

/** The job that a call belongs to. */
export interface ReviewCaller {
  readonly flow: JobFlow;
  readonly holder: PermitHolder;
}

function titleOf({ properties }: QueriedPages['pages'][number]): string {
  const title = Object.values(properties).find(({ type }) => type === 'title');
  const parts = title?.type === 'title' ? title.title : [];
  return parts.map(({ plain_text }) => plain_text).join('');
}
