import { z } from 'zod';
import { notionIdOf } from '../board/notion-id';

const ENTITY = z.object({ id: z.string(), type: z.string() });

const PARENT = z.object({
  type: z.string(),
  id: z.string().nullish(),
  data_source_id: z.string().nullish(),
});

/** Notion's own envelope; whatever it says beyond that is read with distrust. */
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

/** One event of the integration's webhook: ids, never a value. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  /** Null: it does not say. */
  readonly happenedAt: Date | null;
  readonly authorIds: readonly string[];
  /** Of the page or data source; null: unreadable. */
  readonly entityId: string | null;
  /** Of a page: the data source it is in now. `unknown`: the event does not say. */
  readonly parent: { readonly dataSourceId: string } | 'unknown' | 'none';
  /** Ids of the properties of the page that changed; null: it does not say. */
  readonly propertyIds: readonly string[] | null;
  /** Of a data source whose content changed. */
  readonly pageIds: readonly string[];
}

/** Null: this is no event of Notion. */
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

/** The future secret, as Notion sends it when somebody enters this address; null: it is none. */
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
