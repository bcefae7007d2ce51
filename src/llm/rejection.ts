import { errorWords, type ServerError } from './server-error';

/**
 * What a request has that a server may not support:
 *
 *   tools        search calls; without them the code searches by itself
 *   format       `response_format`; without it the schema is in the instructions
 *   usage        `stream_options`; without them the tokens are not counted
 *   limit_name   `max_tokens` or `max_completion_tokens`; without it the other one
 *   system_role  a system message; without it the instructions begin the first message
 *   choices      `n`, several completions of one request; without it there is one
 */
export type Part = 'tools' | 'format' | 'usage' | 'limit_name' | 'system_role' | 'choices';

/** Why a server rejects a request, as far as it says so. */
export interface Rejection {
  /** The parts that it names. */
  readonly named: readonly Part[];
  /** The most output tokens that it accepts, below those that were requested; null: it names none. */
  readonly mostTokens: number | null;
  /** `mostTokens` is what this prompt leaves of the context, and says nothing about other prompts. */
  readonly isOfPrompt: boolean;
  /** The prompt itself is too long: no form of the request helps. */
  readonly isTooLong: boolean;
}

const NAMES: readonly (readonly [Part, RegExp])[] = [
  ['tools', /\btools?\b|\btool_(choice|calls?)\b|\bfunction[ _-]?call/i],
  [
    'format',
    /response[_ ]format|json[_ ]?(schema|mode|object)|structured[_ ]?output|guided|grammar/i,
  ],
  ['usage', /stream_options|include_usage/i],
  ['limit_name', /max_?(completion_|new_|output_)?tokens/i],
  [
    'system_role',
    /system (role|message|prompt|instruction)s?\b.{0,40}(not|un)[ -]?(support|allow|permit|enabled)|only user and assistant roles|support(ed|s)?\b.{0,20}\bsystem\b|developer instruction|roles must alternate|\brole\b.{0,60}should be.{0,20}\buser\b/is,
  ],
  // OpenAI: `param: "n"`. Groq: "'n' : number must be at most 1". llama.cpp: "Only one completion choice is
  // allowed". Google: "Multiple candidates is not enabled". vLLM: "n must be 1 when using greedy sampling".
  [
    'choices',
    /\bn\b|candidate_?count|completion choices?|multiple (candidates|choices|completions)/i,
  ],
];

/** What a server's error says about a request with this limit on its output. */
export function rejectionOf(error: ServerError, sentTokens: number): Rejection {
  const { text, codes } = errorWords(error);
  const isContext = /context|prompt|inputs?\b.{0,20}tokens|tokens.{0,20}\binputs?\b/i.test(text);
  const room = isContext ? roomOf(text) : null;
  const mostTokens = room === null ? limitOf(text, sentTokens) : room;
  const isUsable = mostTokens !== null && mostTokens > 0 && mostTokens < sentTokens;
  const isTooLong = !isUsable && (TOO_LONG.test(text) || codes.some((code) => TOO_LONG.test(code)));
  return {
    named: isTooLong ? [] : namedIn(text),
    mostTokens: isUsable ? mostTokens : null,
    isOfPrompt: room !== null,
    isTooLong,
  };
}

/** Tools with a format are rejected together by servers that support each of them alone. */
function namedIn(text: string): Part[] {
  const named = NAMES.filter(([, words]) => words.test(text)).map(([part]) => part);
  return named.includes('tools') ? named.filter((part) => part !== 'format') : named;
}

const TOO_LONG =
  /context.?(length|window|size)|context_length_exceeded|exceed_context|string_above_max_length|request_?too_?large|prompt (is )?too long|reduce the length|too many (input )?tokens|must be at least 1, got -/i;

const NUMBER = String.raw`[\`'"]?(\d[\d,]*)`;
/** The size of the context, and the input of this request: their difference is left for the output. */
const CONTEXT = [
  new RegExp(String.raw`context (?:length|window|size) (?:is|of)(?: only)? ${NUMBER}`, 'i'),
  new RegExp(String.raw`must be <= ?${NUMBER}`, 'i'),
];
const INPUT = [
  new RegExp(
    String.raw`${NUMBER} (?:tokens )?(?:in|from|of) the (?:input )?(?:messages|prompt)`,
    'i',
  ),
  new RegExp(String.raw`(?:has|contains)(?: at least)? ${NUMBER} (?:input )?tokens`, 'i'),
  new RegExp(String.raw`given:? ${NUMBER} .?inputs?.? tokens`, 'i'),
];

function roomOf(text: string): number | null {
  const context = firstNumber(text, CONTEXT);
  const input = firstNumber(text, INPUT);
  return context === null || input === null ? null : context - input;
}

function firstNumber(text: string, patterns: readonly RegExp[]): number | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return numberOf(found);
  }
  return null;
}

/** "at most 512", "<= 512", "less than or equal to `512`", "range [1, 512]", "1000 > 512". */
const BOUND = new RegExp(
  String.raw`(at most|no more than|up to|maximum[^.\d]{0,60}?|limit(?:ed)?[^.\d]{0,40}?|(?:less|lower|smaller|fewer) than(?: or equal to)?|exceeds?[^.\d]{0,40}?|<=?|≤|>|\[\s*\d+\s*,|between \d+ and|\bto|allowed:?)\s*${NUMBER}(\s*\(exclusive)?`,
  'gi',
);
const EXCLUSIVE = /than$|^<$/i;

/** The largest number behind words of a bound that is below the one that was sent. */
function limitOf(text: string, sentTokens: number): number | null {
  if (!/tokens/i.test(text)) return null;
  const bounds = [...text.matchAll(BOUND)].map(([, words = '', digits = '', exclusive]) => {
    const isBelow = exclusive !== undefined || EXCLUSIVE.test(words);
    return numberOf(digits) - (isBelow ? 1 : 0);
  });
  const usable = bounds.filter((bound) => bound > 1 && bound < sentTokens);
  return usable.length === 0 ? null : Math.max(...usable);
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}
