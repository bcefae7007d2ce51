import { z } from 'zod';
import { ColloquyError } from '../../common/errors';
import { isStorable } from '../../common/text';

/** A question that was settled with an answer to read, and the turn that settled it. */
const QUESTION_ANSWER = z.looseObject({ questionId: z.string(), turnId: z.string() });

const TIME = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

/**
 * How a candidate was recognised: by the link of an invitation (in a messenger, or on the web page),
 * its PIN, a search that led to a vacancy, the user name that a recruiter had noted, or a link that
 * carried the interview over from another channel.
 */
const IDENTIFIED_BY = z.enum(['link', 'web_link', 'pin', 'search', 'username', 'continuation']);

export type IdentifiedBy = z.infer<typeof IDENTIFIED_BY>;

/** As maskedPin() gives it: a PIN in clear opens an interview, so it is refused here. */
const MASKED_PIN = z.string().regex(/^••••-••\d\d$/);

/** The one definition of the known fields. Any of them may be absent or null: not known. */
const FIELDS = {
  identifiedBy: IDENTIFIED_BY,
  /** The PIN that the candidate gave, masked but for its last digits. */
  pinCode: MASKED_PIN,
  /** For integrations. The text of a vacancy search is not kept after the search. */
  searchQuery: z.string(),
  /** The next message is expected to be a PIN. */
  awaitingPin: z.boolean(),
  /** At least one answer was replied to. */
  interviewStarted: z.boolean(),
  questionAnswers: z.array(QUESTION_ANSWER).readonly(),
  /** Id of the question that waits for an answer; null: none does. */
  lastQuestionAsked: z.string(),
  /** All questions of the plan were asked; false when the interview ended before the last one. */
  interviewCompleted: z.boolean(),
  /** When it was completed first, in ISO 8601. */
  completedAt: TIME,
  /** The day by which a reply is promised, `YYYY-MM-DD`. */
  replyBy: z.iso.date(),
} as const;

type Fields = { readonly [F in keyof typeof FIELDS]: z.infer<(typeof FIELDS)[F]> };

/** What is known in addition to the transcript and the plan's state; fields of others are kept as well. */
export interface ConversationMetadata extends Readonly<
  Partial<{ [F in keyof Fields]: Fields[F] | null }>
> {
  readonly [other: string]: unknown;
}

/**
 * What to change, key by key: a value replaces the stored one, null too (it says "not known");
 * undefined leaves it as it is, and so does absence. Dates become ISO 8601.
 */
export interface MetadataUpdates extends Readonly<
  Partial<{ [F in keyof Fields]: Fields[F] | null | undefined }>
> {
  readonly [other: string]: unknown;
}

/** The key under which unreadable fields are stored; updates may not use it. */
export const UNREADABLE_KEY = 'unreadable';

/** Metadata as far as it can be read. */
export interface MetadataReading {
  readonly metadata: ConversationMetadata;
  /** Stored fields that are invalid; null: the whole value is not an object. */
  readonly unreadable: readonly (string | null)[];
}

/** Reads the stored value. An unreadable field counts as absent; the others are still read. */
export function readMetadata(stored: unknown): MetadataReading {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) {
    return { metadata: {}, unreadable: [null] };
  }
  const entries = Object.entries(stored);
  const readable = entries.filter(
    ([field, value]) => field !== UNREADABLE_KEY && isReadable(field, value),
  );
  const unreadable = entries
    .filter(([field, value]) =>
      field === UNREADABLE_KEY ? !Array.isArray(value) : !isReadable(field, value),
    )
    .map(([field]) => field);
  return { metadata: Object.fromEntries(readable), unreadable };
}

/** Whether the value is valid: a known field must match its schema, any other field takes every value. */
export function isReadable(field: string, value: unknown): boolean {
  if (value === null || !isKnown(field)) return true;
  return FIELDS[field].safeParse(value).success;
}

/** `in` would take `constructor` for a field. */
function isKnown(field: string): field is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, field);
}

/** The update is invalid and will never be stored. */
export class InvalidMetadataError extends ColloquyError {
  readonly code = 'invalid_metadata';
  readonly retryable = false;
}

/** Another writer has changed the metadata since it was read, so nothing is stored. */
export class MetadataConflictError extends ColloquyError {
  readonly code = 'metadata_conflict';
  readonly retryable = true;
}

const MAX_DEPTH = 32;
/** Characters of the strings, and one for each value. */
const MAX_SIZE = 1_000_000;

/** The update under way, and what it may still hold. */
interface Measure {
  readonly field: string;
  sizeLeft: number;
}

/**
 * A copy of the value that jsonb stores and gives back unchanged. JSON.stringify would turn NaN into
 * null and a Map into {}, and PostgreSQL refuses NUL and lone surrogates only when the commit runs:
 * all of these throw InvalidMetadataError here. As in JSON.stringify, a Date becomes ISO 8601 and a
 * key without a value is left out.
 */
export function storableJson(field: string, value: unknown): unknown {
  const measure = { field, sizeLeft: MAX_SIZE };
  assertText(field, measure);
  return copyOf(value, measure, 0);
}

function copyOf(value: unknown, measure: Measure, depth: number): unknown {
  // Also ends on values that refer to themselves.
  if (depth > MAX_DEPTH) throw refusal(measure, `is nested deeper than ${MAX_DEPTH}`);
  spend(measure, 1);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return assertText(value, measure);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, measure, depth + 1));
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (!isPlainObject(value)) throw refusal(measure, 'contains a value that is not JSON');
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // Not by assignment: `__proto__` is a key like any other.
  return Object.fromEntries(
    entries.map(([key, item]) => [assertText(key, measure), copyOf(item, measure, depth + 1)]),
  );
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function assertText(text: string, measure: Measure): string {
  spend(measure, text.length);
  if (isStorable(text)) return text;
  throw refusal(measure, 'contains a character that cannot be stored');
}

function spend(measure: Measure, size: number): void {
  measure.sizeLeft -= size;
  if (measure.sizeLeft < 0) throw refusal(measure, `is larger than ${MAX_SIZE} characters`);
}

function refusal({ field }: Measure, reason: string): InvalidMetadataError {
  return new InvalidMetadataError(`a field of the metadata ${reason}`, { fields: { field } });
}

/** The keys to write, each with a value that can be stored and read again. */
export type MetadataPatch = Readonly<Record<string, unknown>>;

/** Checks updates as they were given, in code that may be untyped. Throws InvalidMetadataError. */
export function metadataPatch(updates: unknown): MetadataPatch {
  if (!isPlainObject(updates)) {
    throw new InvalidMetadataError('updates of the metadata have to be a plain object');
  }
  const given = Object.entries(updates).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, checked(field, value)]));
}

function checked(field: string, value: unknown): unknown {
  const stored = storableJson(field, value);
  if (field === UNREADABLE_KEY) {
    throw new InvalidMetadataError('this key is reserved for unreadable fields', {
      fields: { field },
    });
  }
  if (isReadable(field, stored)) return stored;
  throw new InvalidMetadataError('a field of the metadata has the wrong type', {
    fields: { field },
  });
}
