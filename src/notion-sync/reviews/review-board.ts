import { z } from 'zod';
import type { Settings } from '../../common/config';
import type { NewProperties } from '../api/notion-api';
import { settingOf } from '../board/board-schema';
import type { ReviewPage } from './review-page';

/** The properties of a board that a review can use. */
export interface ReviewBoard {
  /** Null: it has no such property, or one of another type. */
  readonly names: ReviewNames;
  /** Id of the property for the link. */
  readonly linkProperty: string | null;
  /** Null: the board has no such status, or none is configured. */
  readonly status: string | null;
  readonly left: readonly LeftOut[];
}

/** Reads `properties` of a data source; missing ones and other types are left out. */
export function readReviewBoard(
  properties: Readonly<Record<string, unknown>>,
  wanted: ReviewNames,
  status: string | null,
): ReviewBoard {
  const left: LeftOut[] = [];
  const names: Record<Key, string | null> = { ...wanted };
  for (const key of Object.keys(TYPES) as Key[]) {
    const name = wanted[key];
    if (name === null) continue;
    const type = propertyIn(properties, name)?.type ?? null;
    if (type === TYPES[key]) continue;
    names[key] = null;
    const missing = type === null ? { name, type: TYPES[key] } : null;
    left.push({ sentence: sentence(key, name, type), missing });
  }
  const known = names.status === null ? [] : optionsOf(properties[names.status]);
  const isKnown = status !== null && known.includes(status);
  if (status !== null && names.status !== null && !isKnown) {
    left.push({
      sentence: `The property "${names.status}" has no status "${status}": finished interviews get the board's default. Add the status, or set NOTION_REVIEW_STATUS.`,
      missing: null,
    });
  }
  const { transcript } = names;
  return {
    names,
    linkProperty: transcript === null ? null : (propertyIn(properties, transcript)?.id ?? null),
    status: isKnown ? status : null,
    left,
  };
}

/** The values that are written, each with the type of its property. */
const TYPES = {
  name: 'title',
  candidate: 'rich_text',
  vacancy: 'rich_text',
  coverage: 'rich_text',
  transcript: 'url',
  status: 'status',
  importance: 'number',
  estimate: 'number',
  assignee: 'people',
} as const;

type Key = keyof typeof TYPES;

export type ReviewNames = Readonly<Record<Key, string | null>>;

/** A value of a review that the board has no property for. */
export interface LeftOut {
  /** For an operator. */
  readonly sentence: string;
  /** The missing property; null: it exists with another type. */
  readonly missing: { readonly name: string; readonly type: (typeof TYPES)[Key] } | null;
}

/** The values that follow the interview. */
export function contentOf(page: ReviewPage, { names }: ReviewBoard): NewProperties {
  return {
    ...(names.name === null ? {} : { [names.name]: { title: text(page.title) } }),
    ...(names.candidate === null ? {} : { [names.candidate]: { rich_text: text(page.candidate) } }),
    ...(names.vacancy === null ? {} : { [names.vacancy]: { rich_text: text(page.vacancy) } }),
    ...(names.coverage === null ? {} : { [names.coverage]: { rich_text: text(page.coverage) } }),
    ...(names.transcript === null ? {} : { [names.transcript]: { url: page.link } }),
  };
}

/** The values that are set once, when the page is created; people may change them afterwards. */
export function firstValuesOf(
  { names, status }: ReviewBoard,
  values: { ownerId: string | null; importance: number; estimate: number },
): NewProperties {
  const { ownerId, importance, estimate } = values;
  return {
    ...(names.assignee === null || ownerId === null
      ? {}
      : { [names.assignee]: { people: [{ id: ownerId }] } }),
    ...(names.status === null || status === null
      ? {}
      : { [names.status]: { status: { name: status } } }),
    ...(names.importance === null ? {} : { [names.importance]: { number: importance } }),
    ...(names.estimate === null || estimate === 0
      ? {}
      : { [names.estimate]: { number: estimate } }),
  };
}

function text(content: string): { text: { content: string } }[] {
  return [{ text: { content } }];
}

const PROPERTY = z.object({ id: z.string(), type: z.string() });

function propertyIn(
  properties: Readonly<Record<string, unknown>>,
  name: string,
): z.infer<typeof PROPERTY> | null {
  if (!Object.hasOwn(properties, name)) return null;
  return PROPERTY.safeParse(properties[name]).data ?? null;
}

const STATUS = z.object({
  status: z.object({ options: z.array(z.object({ name: z.string() })) }),
});

function optionsOf(property: unknown): string[] {
  return STATUS.safeParse(property).data?.status.options.map(({ name }) => name) ?? [];
}

function sentence(key: Key, name: string, type: string | null): string {
  const setting = settingOf(key);
  const found = type === null ? 'is missing' : `is of type ${type}, not ${TYPES[key]}`;
  return `The property "${name}" ${found}: finished interviews are shown without it. Add it as ${TYPES[key]}, or set ${setting}.`;
}

export function reviewNames({ notionBoard, notionReview }: Settings): ReviewNames {
  const { name, assignee, status, importance, estimate } = notionBoard.names;
  return { ...notionReview.names, name, assignee, status, importance, estimate };
}
