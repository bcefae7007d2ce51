import { z } from 'zod';

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
  /** Free to integrations: the words of a vacancy search are not kept beyond the search. */
  searchQuery: z.string(),
  /** The next message is expected to be a PIN. */
  awaitingPin: z.boolean(),
  /** At least one answer was replied to. */
  interviewStarted: z.boolean(),
  questionAnswers: z.array(QUESTION_ANSWER).readonly(),
  /** Id of the question that waits for an answer; null: none does. */
  lastQuestionAsked: z.string(),
  /** The plan is through: not so when the interview was ended before its last question. */
  interviewCompleted: z.boolean(),
  /** When it was completed first, in ISO 8601. */
  completedAt: TIME,
} as const;

type Fields = { readonly [F in keyof typeof FIELDS]: z.infer<(typeof FIELDS)[F]> };

/** What is known beside the transcript and the plan's state; fields of others are kept as well. */
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

/** Under this key of the stored metadata stands what could not be read; updates may not use it. */
export const UNREADABLE_KEY = 'unreadable';

/** Metadata as far as it can be read. */
export interface MetadataReading {
  readonly metadata: ConversationMetadata;
  /** Stored fields that are not what they should be; null: the whole is no object. */
  readonly unreadable: readonly (string | null)[];
}

/** Reads what is stored. A field that cannot be read is as absent; the others are not its victims. */
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

/** Whether the value may stand in the field: a known field has its form, any other takes all. */
export function isReadable(field: string, value: unknown): boolean {
  if (value === null || !isKnown(field)) return true;
  return FIELDS[field].safeParse(value).success;
}

/** `in` would take `constructor` for a field. */
function isKnown(field: string): field is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, field);
}
