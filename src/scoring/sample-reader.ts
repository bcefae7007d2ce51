import { z } from 'zod';
import { objectIn } from '../llm';
import { type Mark, MARKS } from '../vacancies';
import { type AnswerContext, type DroppedQuote, type Quote, checkQuote } from './evidence';

/**
 * Reads what a model wrote about a criterion or a fact, and keeps what holds:
 *
 *   text ──no object that has a result and what it needs──> dropped (malformed)
 *     └──> its quotes are checked ──none holds──> dropped (no_quote)
 *            └──> supported, absent, unscorable; for a fact yes, no, with_conditions, unclear
 *
 * Of several objects the last one counts: what stands before it was a draft. An object that stands in the
 * answer itself is a quotation and never counts.
 *
 * A model's own words (`lookedFor`) are stored for people and never decide anything.
 */

export type DroppedSample = {
  readonly kind: 'dropped';
  readonly why: 'malformed' | 'no_quote' | 'failed';
  readonly droppedQuotes: DroppedQuotes;
};

export type DroppedQuotes = Readonly<Partial<Record<DroppedQuote, number>>>;

export type CriterionReading =
  | {
      readonly kind: 'supported';
      readonly mark: Mark;
      readonly quotes: readonly Quote[];
      readonly droppedQuotes: DroppedQuotes;
    }
  | { readonly kind: 'absent'; readonly lookedFor: string; readonly droppedQuotes: DroppedQuotes }
  | {
      readonly kind: 'unscorable';
      readonly reason: 'thin' | 'trouble';
      readonly droppedQuotes: DroppedQuotes;
    }
  | DroppedSample;

export type FactReading =
  | {
      readonly kind: 'yes' | 'no' | 'with_conditions';
      readonly quotes: readonly Quote[];
      readonly droppedQuotes: DroppedQuotes;
    }
  | { readonly kind: 'unclear'; readonly droppedQuotes: DroppedQuotes }
  | DroppedSample;

const MAX_QUOTES = 3;
/** More than are kept, because some do not hold. What is beyond them is counted and not checked. */
const MAX_CLAIMED = 2 * MAX_QUOTES;
const MAX_TEXT = 600;

/** One of these words, in any case. */
function wordOf<T extends string>(words: readonly T[]) {
  return z.preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
    z.enum(words),
  );
}

/** Some models write the digit as text. Nothing is rounded: what is no mark is none. */
const mark = z
  .preprocess(
    (value) => (typeof value === 'string' && /^\s*[1-5]\s*$/.test(value) ? Number(value) : value),
    z.literal(MARKS),
  )
  .nullable()
  .catch(null);

const quote = z.object({ messageId: z.string(), text: z.string() });

/** A single quote stands for a list of one, and nothing for an empty one. */
const quotes = z
  .unknown()
  .optional()
  .transform((value) => {
    if (Array.isArray(value)) return value as unknown[];
    return value === undefined || value === null ? [] : [value];
  });

/*
 * The form is read generously and the meaning strictly: more fields, a field that this result does not
 * need, and another case change nothing. What the result needs must be there.
 */
const criterionOutput = z.object({
  result: wordOf(['supported', 'absent', 'unscorable']),
  mark,
  quotes,
  lookedFor: z.string().catch(''),
  reason: wordOf(['thin', 'trouble']).nullable().catch(null),
});

const FACT_RESULTS = ['yes', 'no', 'with_conditions', 'unclear'] as const;
/** Some models write "with conditions" as people do. */
const factResult = z.preprocess(
  (value) => (typeof value === 'string' ? value.trim().replace(/[\s-]+/g, '_') : value),
  wordOf(FACT_RESULTS),
);
const factOutput = z.object({ result: factResult, quotes });

/**
 * The form that a model is asked for. Quotes come first, so that the mark follows from them. Lists have a bound and strings have none: a bound of strings makes
 * some engines forbid quotation marks in them (docs/model-servers.md).
 */
export const CRITERION_SCHEMA = {
  name: 'criterion_rating',
  jsonSchema: schemaOf({
    quotes: quotesSchema(),
    result: { type: 'string', enum: ['supported', 'absent', 'unscorable'] },
    mark: { type: ['integer', 'null'], enum: [1, 2, 3, 4, 5, null] },
    lookedFor: { type: 'string' },
    reason: { type: 'string', enum: ['thin', 'trouble', 'none'] },
  }),
};

export const FACT_SCHEMA = {
  name: 'fact_reading',
  jsonSchema: schemaOf({
    quotes: quotesSchema(),
    result: { type: 'string', enum: FACT_RESULTS },
  }),
};

export type ReadContext = AnswerContext;

export function readCriterion(output: string, context: ReadContext): CriterionReading {
  const read = objectIn(output, criterionIn, wordsOf(context));
  if (read === null) return dropped('malformed');
  const { result, mark, lookedFor, reason } = read;
  const checked = checkAll(read.quotes, context, false);
  switch (result) {
    case 'supported':
      if (mark === null) return dropped('malformed', checked.droppedQuotes);
      if (checked.quotes.length === 0) return dropped('no_quote', checked.droppedQuotes);
      return { kind: 'supported', mark, ...checked };
    case 'absent':
      if (lookedFor.trim() === '') return dropped('malformed', checked.droppedQuotes);
      return {
        kind: 'absent',
        lookedFor: lookedFor.slice(0, MAX_TEXT),
        droppedQuotes: checked.droppedQuotes,
      };
    case 'unscorable':
      if (reason === null) return dropped('malformed', checked.droppedQuotes);
      return { kind: 'unscorable', reason, droppedQuotes: checked.droppedQuotes };
  }
}

export function readFact(output: string, context: ReadContext): FactReading {
  const read = objectIn(output, factIn, wordsOf(context));
  if (read === null) return dropped('malformed');
  const { result } = read;
  const checked = checkAll(read.quotes, context, true);
  if (result === 'unclear') return { kind: result, droppedQuotes: checked.droppedQuotes };
  if (checked.quotes.length === 0) return dropped('no_quote', checked.droppedQuotes);
  return { kind: result, ...checked };
}

function criterionIn(value: unknown): z.infer<typeof criterionOutput> | null {
  return criterionOutput.safeParse(value).data ?? null;
}

function factIn(value: unknown): z.infer<typeof factOutput> | null {
  return factOutput.safeParse(value).data ?? null;
}

/** A rating that stands in them is what the candidate wrote, not what the model found. */
function wordsOf({ messages }: ReadContext): string[] {
  return messages.map(({ text }) => text);
}

export function dropped(
  why: DroppedSample['why'],
  droppedQuotes: DroppedQuotes = {},
): DroppedSample {
  return { kind: 'dropped', why, droppedQuotes };
}

function checkAll(
  claimed: readonly unknown[],
  context: ReadContext,
  isWholeMessageEnough: boolean,
): { quotes: Quote[]; droppedQuotes: DroppedQuotes } {
  const found: Quote[] = [];
  const counts: Partial<Record<DroppedQuote, number>> = {};
  const drop = (why: DroppedQuote, count = 1): void => {
    counts[why] = (counts[why] ?? 0) + count;
  };
  for (const one of claimed.slice(0, MAX_CLAIMED)) {
    const { data } = quote.safeParse(one);
    const checked =
      data === undefined ? 'malformed' : checkQuote(data, { ...context, isWholeMessageEnough });
    if (typeof checked === 'string') drop(checked);
    else if (found.length < MAX_QUOTES) found.push(checked);
  }
  if (claimed.length > MAX_CLAIMED) drop('too_many', claimed.length - MAX_CLAIMED);
  return { quotes: found, droppedQuotes: counts };
}

/**
 * Outcomes of a request after which the sample is dropped: the model responded, and nothing can be read
 * from it. After any other failure the model has rated nothing.
 */
export const UNUSABLE_OUTCOMES: ReadonlySet<string> = new Set([
  'empty',
  'refused',
  'content_filter',
  'length',
  'malformed',
]);

function schemaOf(properties: Readonly<Record<string, object>>): object {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function quotesSchema(): object {
  return {
    type: 'array',
    maxItems: MAX_CLAIMED,
    items: schemaOf({ messageId: { type: 'string' }, text: { type: 'string' } }),
  };
}
