import { z } from 'zod';
import type { Mark } from '../vacancies';
import { type DroppedQuote, type EvidenceMessage, type Quote, checkQuote } from './evidence';

/**
 * Reads what a model wrote about a criterion or a fact, and keeps what holds:
 *
 *   text ──no JSON, half JSON, other fields──> dropped (malformed)
 *     └──> its quotes are checked ──none holds──> dropped (no_quote)
 *            └──> supported, absent, unscorable; for a fact yes, no, unclear
 *
 * A model's own words (`lookedFor`) are stored for people and never decide anything.
 */

export type Dropped = {
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
  | Dropped;

export type FactReading =
  | {
      readonly kind: 'yes' | 'no';
      readonly quotes: readonly Quote[];
      readonly droppedQuotes: DroppedQuotes;
    }
  | { readonly kind: 'unclear'; readonly droppedQuotes: DroppedQuotes }
  | Dropped;

const MAX_QUOTES = 3;
const MAX_TEXT = 600;

const quotes = z
  .array(z.strictObject({ messageId: z.string(), text: z.string() }))
  .max(2 * MAX_QUOTES);

const criterionOutput = z.strictObject({
  result: z.enum(['supported', 'absent', 'unscorable']),
  mark: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]).nullable(),
  quotes,
  lookedFor: z.string(),
  reason: z.enum(['thin', 'trouble', 'none']),
});

const factOutput = z.strictObject({ result: z.enum(['yes', 'no', 'unclear']), quotes });

/** The form that a model is asked for. */
export const CRITERION_SCHEMA = {
  name: 'criterion_rating',
  jsonSchema: schemaOf({
    result: { type: 'string', enum: ['supported', 'absent', 'unscorable'] },
    mark: { type: ['integer', 'null'], enum: [1, 2, 3, 4, 5, null] },
    quotes: quotesSchema(),
    lookedFor: { type: 'string' },
    reason: { type: 'string', enum: ['thin', 'trouble', 'none'] },
  }),
};

export const FACT_SCHEMA = {
  name: 'fact_reading',
  jsonSchema: schemaOf({
    result: { type: 'string', enum: ['yes', 'no', 'unclear'] },
    quotes: quotesSchema(),
  }),
};

export interface ReadContext {
  readonly messages: readonly EvidenceMessage[];
  readonly question: string;
}

export function readCriterion(output: string, context: ReadContext): CriterionReading {
  const read = criterionOutput.safeParse(jsonIn(output));
  if (!read.success) return dropped('malformed');
  const { result, mark, lookedFor, reason } = read.data;
  const checked = checkAll(read.data.quotes, context, false);
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
      if (reason === 'none') return dropped('malformed', checked.droppedQuotes);
      return { kind: 'unscorable', reason, droppedQuotes: checked.droppedQuotes };
  }
}

export function readFact(output: string, context: ReadContext): FactReading {
  const read = factOutput.safeParse(jsonIn(output));
  if (!read.success) return dropped('malformed');
  const checked = checkAll(read.data.quotes, context, true);
  const { result } = read.data;
  if (result === 'unclear') return { kind: result, droppedQuotes: checked.droppedQuotes };
  if (checked.quotes.length === 0) return dropped('no_quote', checked.droppedQuotes);
  return { kind: result, ...checked };
}

export function dropped(why: Dropped['why'], droppedQuotes: DroppedQuotes = {}): Dropped {
  return { kind: 'dropped', why, droppedQuotes };
}

function checkAll(
  claimed: readonly { readonly messageId: string; readonly text: string }[],
  context: ReadContext,
  isWholeMessageEnough: boolean,
): { quotes: Quote[]; droppedQuotes: DroppedQuotes } {
  const found: Quote[] = [];
  const counts: Partial<Record<DroppedQuote, number>> = {};
  for (const quote of claimed) {
    const checked = checkQuote(quote, { ...context, isWholeMessageEnough });
    if (typeof checked === 'string') counts[checked] = (counts[checked] ?? 0) + 1;
    else if (found.length < MAX_QUOTES) found.push(checked);
  }
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

const FENCED = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/;

/** Servers without support for schemas put the JSON into a fence. */
function jsonIn(output: string): unknown {
  try {
    return JSON.parse(FENCED.exec(output)?.[1] ?? output) as unknown;
  } catch {
    return undefined;
  }
}

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
    items: schemaOf({ messageId: { type: 'string' }, text: { type: 'string' } }),
  };
}
