import { z } from 'zod';
import { notionIdOf } from '../board/board-schema';
import type { EventOutcome } from './webhook-health';

const ENTITY = z.object({ id: z.string(), type: z.string() });

const PARENT = z.object({
  type: z.string(),
  id: z.string().nullish(),
  data_source_id: z.string().nullish(),
});

/** Notion's envelope; the fields beyond it are validated one by one. */
const EVENT = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  type: z.string().min(1),
  timestamp: z.string().nullish().catch(null),
  authors: z
    .array(z.object({ id: z.string() }))
    .nullish()
    .catch(null),
  entity: ENTITY.nullish().catch(null),
  data: z
    .object({
      parent: PARENT.nullish().catch(null),
      updated_blocks: z.array(ENTITY).nullish().catch(null),
      updated_properties: z.array(z.string()).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

/** One event of the integration's webhook; it has ids and no values. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  /** Null: unknown. */
  readonly happenedAt: Date | null;
  readonly authorIds: readonly string[];
  /** The id of the page or data source; null: unreadable. */
  readonly entityId: string | null;
  /** For a page, its present data source. `unknown`: the event does not contain it. */
  readonly parent: { readonly dataSourceId: string } | 'unknown' | 'none';
  /** Ids of the page's properties that changed; null: unknown. */
  readonly propertyIds: readonly string[] | null;
  /** For a data source whose content changed. */
  readonly pageIds: readonly string[];
}

/** Null: this is not an event of Notion. */
export function webhookEventIn(json: unknown): WebhookEvent | null {
  const { data: event } = EVENT.safeParse(json);
  if (event === undefined) return null;
  const { id, type, timestamp, authors, entity, data } = event;
  const pages = (data?.updated_blocks ?? []).filter((block) => block.type === 'page');
  return {
    id,
    type,
    happenedAt: dateIn(timestamp),
    authorIds: (authors ?? []).map((author) => notionIdOf(author.id) ?? author.id),
    entityId: notionIdOf(entity?.id ?? ''),
    parent: parentIn(data?.parent),
    propertyIds: data?.updated_properties?.length ? data.updated_properties : null,
    pageIds: [...new Set(pages.flatMap((page) => notionIdOf(page.id) ?? []))].sort(),
  };
}

const HANDSHAKE = z.object({ verification_token: z.string().regex(/^[\x21-\x7e]{8,256}$/) });

/** The verification token that Notion sends when this address is entered; null: it is something else. */
export function handshakeTokenIn(json: unknown): string | null {
  return HANDSHAKE.safeParse(json).data?.verification_token ?? null;
}

/** Older versions of the API name only the database. */
function parentIn(parent: z.infer<typeof PARENT> | null | undefined): WebhookEvent['parent'] {
  const named = notionIdOf(parent?.data_source_id ?? '');
  if (named !== null) return { dataSourceId: named };
  const own = parent?.type === 'data_source' ? notionIdOf(parent.id ?? '') : null;
  if (own !== null) return { dataSourceId: own };
  return parent == null || parent.type === 'database' ? 'unknown' : 'none';
}

function dateIn(text: string | null | undefined): Date | null {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? null : at;
}

/** What has to be done about an event, as far as the event alone shows. */
export type SortedEvent =
  | {
      readonly kind: 'skip';
      readonly outcome: EventOutcome;
      /** For an operator; null: nothing is wrong. */
      readonly sentence: string | null;
    }
  /** The page has changed, or is no longer on the board. */
  | {
      readonly kind: 'page';
      readonly pageId: string;
      readonly change: PageChange;
      /** What has changed; null: unknown. */
      readonly propertyIds: readonly string[] | null;
    }
  | { readonly kind: 'pages'; readonly pageIds: readonly string[] };

/**
 *   changed  some of its properties
 *   deleted  it is in the trash
 *   foreign  it is in another data source; perhaps it was in ours before
 */
export type PageChange = 'changed' | 'deleted' | 'foreign';

interface IntakeContext {
  readonly dataSourceId: string;
  /** Our own bot; null: not known yet, and no event counts as our own. */
  readonly botId: string | null;
  readonly now: Date;
}

/** Notion gives up on an event after a day; its id is remembered for three. */
const OLDEST_MS = 2 * 24 * 3_600_000;
/** Reading more pages one by one would use up the calls of all boards. */
const MOST_PAGES = 200;
const TYPE = /^[a-z_.]{1,60}$/;

const PAGE_TYPES = new Set([
  'page.created',
  'page.properties_updated',
  'page.deleted',
  'page.undeleted',
  'page.moved',
]);

/** What happened to the data source as a whole, and what that means for the boards. */
const BOARD_TYPES: ReadonlyMap<string, string> = new Map([
  ['data_source.created', 'The data source of the tasks was created.'],
  [
    'data_source.schema_updated',
    'The properties of the data source of the tasks were changed; the next sweep checks the boards.',
  ],
  [
    'data_source.deleted',
    'The data source of the tasks was deleted in Notion: no board can be ranked until it is restored.',
  ],
  [
    'data_source.undeleted',
    'The data source of the tasks was restored; the next sweep checks the boards.',
  ],
  [
    'data_source.moved',
    'The data source of the tasks was moved in Notion; if it is no longer shared with the integration, no board can be ranked.',
  ],
]);

export function sortEvent(event: WebhookEvent, context: IntakeContext): SortedEvent {
  const { type, happenedAt, entityId } = event;
  const isHandledType =
    PAGE_TYPES.has(type) || BOARD_TYPES.has(type) || type === 'data_source.content_updated';
  if (!isHandledType) return skip('unknown_type', unknownSentence(type));
  if (isOwnEcho(event, context.botId)) return skip('own_echo');
  if (happenedAt !== null && context.now.getTime() - happenedAt.getTime() > OLDEST_MS) {
    return skip('stale', 'An event of Notion that is days old was dropped.');
  }
  if (entityId === null) {
    return skip('no_page', `An event of the type "${type}" has no readable page id.`);
  }
  if (PAGE_TYPES.has(type)) {
    const propertyIds = type === 'page.properties_updated' ? event.propertyIds : null;
    return { kind: 'page', pageId: entityId, change: changeOf(event, context), propertyIds };
  }
  if (entityId !== context.dataSourceId) return skip('other_data_source', otherSentence(entityId));
  const ofBoard = BOARD_TYPES.get(type);
  return ofBoard === undefined ? sortPages(event) : skip('board_changed', ofBoard);
}

export function otherSentence(dataSourceId: string | null): string {
  const named = dataSourceId === null ? '' : ` (${dataSourceId})`;
  return `Pages of another data source${named} are skipped: the integration is shared with more than NOTION_DATA_SOURCE_ID.`;
}

/** An aggregated event lists all of its authors: one other author is enough to count. */
export function isOwnEcho(
  { authorIds }: Pick<WebhookEvent, 'authorIds'>,
  botId: string | null,
): boolean {
  return botId !== null && authorIds.length > 0 && authorIds.every((id) => id === botId);
}

function changeOf({ type, parent }: WebhookEvent, { dataSourceId }: IntakeContext): PageChange {
  if (parent === 'none') return 'foreign';
  if (parent !== 'unknown' && parent.dataSourceId !== dataSourceId) return 'foreign';
  return type === 'page.deleted' ? 'deleted' : 'changed';
}

function sortPages({ pageIds }: WebhookEvent): SortedEvent {
  if (pageIds.length === 0) return skip('no_page');
  if (pageIds.length <= MOST_PAGES) return { kind: 'pages', pageIds };
  return skip(
    'too_many_pages',
    `${String(pageIds.length)} pages changed at once: the next sweep checks their boards.`,
  );
}

function unknownSentence(type: string): string {
  const named = TYPE.test(type) ? `the type "${type}"` : 'a type that cannot be read';
  return `Events of ${named} are skipped: they change no ranking; remove the type from the subscription.`;
}

function skip(outcome: EventOutcome, sentence: string | null = null): SortedEvent {
  return { kind: 'skip', outcome, sentence };
}
