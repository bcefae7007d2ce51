import { ModelFailure } from './errors';

/*
 * Finds the JSON object in what a model wrote. Models, chat templates and servers put other things around
 * it: reasoning (often with only its closing mark, because templates write the opening one into the
 * prompt), marks of channels, a fence, an array, a sentence. None of that is ever read as the object, and
 * what stands before a closing mark of reasoning never counts, although it may hold drafts of the object.
 */

/** What a model wrote behind its reasoning and before a turn that it made up. */
export function outputProper(output: string): string {
  const ownTurn = untilNextTurn(output);
  return ownTurn.slice(afterReasoning(ownTurn));
}

const REASONING =
  '(?:think|thought|reason|reflect|analysis|scratch_?pad|cot|monologue|rationale|planning)';

/** Where reasoning, or a message before the reply, ends. Behind the last of them stands the output proper. */
const REASONING_ENDS = new RegExp(
  [
    // Tags and brackets: </think>, <\think> (so in Phi-4's own instructions), </seed:think>, </think:opensource>, [/THINK], ◁/think▷.
    `< ?[/\\\\] ?[^<>\\s]{0,24}${REASONING}[^<>\\s]{0,24} ?>`,
    `\\[/${REASONING}\\w{0,8}\\]`,
    '◁/think▷',
    // Special tokens, with ASCII or full-width bars: end_of_thought, END_THINKING, plamo:end_think:plamo, think_end.
    `<[|｜][^<>\\s]{0,12}(?:/|end)[^<>\\s]{0,12}${REASONING}[^<>\\s]{0,12}[|｜]>`,
    `<[|｜]${REASONING}\\w{0,8}[_▁:]end[|｜]>`,
    '<\\|close\\|>think<\\|sep\\|>',
    '<\\|inner_suffix\\|>',
    '<unused95>',
    '\\[unused17\\]',
    // Channels and messages: the last one is the reply. Some servers drop the marks and leave the words.
    '<channel\\|>',
    '<\\|(?:im_)?start\\|>\\s*assistant',
    '<\\|channel\\|>\\s*final[^<>]{0,20}(?:<\\|constrain\\|>[^<>]{0,20})?<\\|message\\|>',
    '<\\|content_text\\|>',
    'assistantfinal',
    'Here is my response:',
  ].join('|'),
  'gi',
);

/** Where the last reasoning in `text` ends; 0 when none ends behind `searchFrom`. */
function afterReasoning(text: string, searchFrom = 0): number {
  REASONING_ENDS.lastIndex = searchFrom;
  let end = 0;
  for (const match of text.matchAll(REASONING_ENDS)) end = match.index + match[0].length;
  return end;
}

/** A turn of the user that a model makes up when its server does not stop it. */
const NEXT_TURN =
  /<\|(?:im_)?start\|>\s*user|<\|start_header_id\|>user|<start_of_turn>user|<\|turn>user|<\|user\|>|<｜User｜>|\[INST\]/;

function untilNextTurn(output: string, searchFrom = 0): string {
  const next = output.slice(searchFrom).search(NEXT_TURN);
  return next === -1 ? output : output.slice(0, searchFrom + next);
}

/** Reasoning that begins. Without an end behind it, all that follows may be a draft. */
const REASONING_BEGINS = new RegExp(
  [
    `< ?[^<>\\s/]{0,24}${REASONING}[^<>\\s/]{0,24}(?:\\s[^<>]{0,40})?>`,
    `\\[${REASONING}\\w{0,8}\\]`,
    '◁think▷',
    '<\\|inner_prefix\\|>',
    '<unused94>',
    '\\[unused16\\]',
    '<\\|channel\\|?>\\s*(?:analysis|commentary|thought)',
    '<\\|content_thinking\\|>',
    '^\\s*(?:analysis(?=\\S)|thought\\n|/think\\n|to=self)',
    'Here is my thought process:',
  ].join('|'),
  'i',
);

/** In UTF-16 units; only so much is looked at, so that a long text is not read again with each piece. */
const LONGEST_LEAD = 400;

/**
 * The last JSON object of a model's whole output that `accept` takes, whatever stands around it; null when
 * it takes none. An object is preferred to those inside it. Raw line breaks in strings, trailing commas,
 * unknown escapes and a missing last brace are forgiven; a string that holds JSON is read where the whole
 * output is that string. `said`: a candidate's words. An object that stands in them is a quotation.
 */
export function objectIn<T>(
  output: string,
  accept: (value: unknown) => T | null,
  said: readonly string[] = [],
): T | null {
  const text = unquoted(outputProper(output));
  const isOpen = REASONING_BEGINS.test(text);
  const lastClosing = [...text.matchAll(CLOSING_TAG)].at(-1)?.index ?? 0;
  const quotable = said.map(withoutBlanks);
  let last: T | null = null;
  for (const { value, start, end } of valuesIn(text)) {
    const before = text.slice(Math.max(0, start - LONGEST_LEAD), start);
    // Reasoning without an end holds drafts, except where the output ends with the object.
    const mayBeDraft = isOpen || end <= lastClosing || isQuoted(before, text.slice(end));
    if (IN_BROKEN_OBJECT.test(before) || (mayBeDraft && !endsOutput(text, end))) continue;
    const written = withoutBlanks(text.slice(start, end));
    if (!quotable.some((one) => one.includes(written))) last = firstIn(value, accept) ?? last;
  }
  return last;
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Only brackets, quotes and marks follow. */
function endsOutput(text: string, end: number): boolean {
  return /^[\s`\])]*(?:<[^<>]*>\s*|\[[^[\]]{0,40}\]\s*)*$/.test(text.slice(end));
}

/** A key: the object is part of another one that does not end. */
const IN_BROKEN_OBJECT = /"\s*:\s*$/;
/** On the same line: words, or a mark of quotation. Not a fence. */
const IN_SENTENCE = /(?<!```\w{0,12}\s{0,4})[\p{L}\p{N},;("'`“«][^\S\n]*$/u;
/** Before it, an object that does not end the output is part of something else. */
const CLOSING_TAG = /<\/(?!(?:answer|response|reply|output|result|final|json)>)[\w:]{1,40}>/gi;

/** Whether an object is quoted in a sentence, or the first of a list that breaks off. */
function isQuoted(before: string, behind: string): boolean {
  return IN_SENTENCE.test(before) || /^\s*,\s*[{["]/.test(behind);
}

/** A bracket that closes nothing costs a reading to the end, so the reading is bounded. */
const MOST_UNITS = 2_000_000;

/** The JSON objects and arrays of a text, in order, without those inside others. */
export function* valuesIn(text: string): Generator<{ value: object; start: number; end: number }> {
  const bracket = /[[{]/g;
  let read = 0;
  for (let found = bracket.exec(text); found !== null; found = bracket.exec(text)) {
    const span = spanFrom(text, found.index);
    const value = span === null ? undefined : parsed(span.json);
    if (span !== null && typeof value === 'object' && value !== null) {
      yield { value, start: found.index, end: span.end };
      bracket.lastIndex = span.end;
    }
    read += (span?.end ?? text.length) - found.index;
    if (read > MOST_UNITS) return;
  }
}

const MOST_INSIDE = 1000;
/** Where calls of functions keep their input, often as a string of JSON. */
const INPUTS = new Set(['arguments', 'parameters', 'input']);

/** Keys of reasoning: what is below them is a draft. */
const OF_REASONING = new RegExp(`${REASONING}|draft`, 'i');

/** The value itself, then what is inside it, outermost first. */
function firstIn<T>(value: unknown, accept: (value: unknown) => T | null): T | null {
  const waiting: unknown[] = [value];
  for (let n = 0; n < waiting.length && n < MOST_INSIDE; n += 1) {
    const one = waiting[n];
    if (typeof one !== 'object' || one === null) continue;
    const taken = Array.isArray(one) ? null : accept(one);
    if (taken !== null) return taken;
    for (const [key, inside] of Object.entries(one as Readonly<Record<string, unknown>>)) {
      if (OF_REASONING.test(key)) continue;
      waiting.push(INPUTS.has(key) ? inputOf(inside) : inside);
    }
  }
  return null;
}

/** The input of a call: servers and models write the object itself or its text. */
export function inputOf(written: unknown): unknown {
  return typeof written === 'string' ? parsed(written) : written;
}

/** Some models write the object as a string of JSON. */
function unquoted(text: string): string {
  if (!/^\s*"/.test(text)) return text;
  const value = parsed(text);
  return typeof value === 'string' ? value : text;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
const KNOWN_ESCAPE = /["\\/bfnrtu]/;

/**
 * The value that begins with the bracket at `start`, as JSON that `JSON.parse` may take: control characters
 * in strings are escaped, unknown escapes and commas before a closing bracket are left out, and one bracket
 * that is missing at the end is added. Null: it does not end.
 */
function spanFrom(text: string, start: number): { json: string; end: number } | null {
  const open: string[] = [];
  let json = '';
  /** A comma and the blanks behind it, until what follows is known. */
  let comma = '';
  for (let at = start; at < text.length;) {
    const unit = text.charAt(at);
    const string = unit === '"' ? stringFrom(text, at) : { json: unit, end: at + 1 };
    if (string === null) return null;
    at = string.end;
    if (unit === ',' || (comma !== '' && unit.trim() === '')) {
      comma += unit;
      continue;
    }
    const closer = CLOSERS[unit];
    if (closer !== undefined) open.push(closer);
    const isClosing = unit === '}' || unit === ']';
    if (isClosing && open.pop() !== unit) return null;
    json += isClosing ? unit : comma + string.json;
    comma = '';
    if (open.length === 0) return { json, end: at };
  }
  // Behind a comma more was to come.
  return open.length === 1 && comma === ''
    ? { json: json + (open[0] ?? ''), end: text.length }
    : null;
}

/** The string whose opening quote is at `start`, with all that `JSON.parse` refuses escaped. */
function stringFrom(text: string, start: number): { json: string; end: number } | null {
  let json = '"';
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (unit === '"') return { json: `${json}"`, end: at + 1 };
    if (unit === '\\') {
      at += 1;
      const next = text.charAt(at);
      json += KNOWN_ESCAPE.test(next) ? unit + next : next;
    } else json += unit < ' ' ? JSON.stringify(unit).slice(1, -1) : unit;
  }
  return null;
}

/** No mark is longer, in UTF-16 units. */
const LONGEST_MARK = 80;

/** What may stand before an object that is read while it arrives: blanks, a fence, an array, a wrapper. */
const LEAD =
  /^(?:[\s\uFEFF]+|```[a-z0-9]*|\[|<(?:answer|response|reply|output|result|final|json)>|<\|begin_of_solution\|>)*/i;

/** A brace, then a key or the end: `{smile}` begins no object. */
const OBJECT = /^\{\s*["}]/;

/**
 * Finds the object while the output arrives: one that stands at the beginning, or behind the end of
 * reasoning. An object behind any other text may be a draft or a quotation, so it is found only in the
 * whole output, by `objectIn`.
 */
export class ObjectStart {
  /** What is looked at again with the next piece: an end of a long output, so that reading stays linear. */
  private text = '';
  /** `text` begins where an object may. */
  private isLead = true;
  /** The model has made up a turn of the user; its output ended before that. */
  private isOver = false;

  /** The output from its object on, once that has begun; null until then. */
  push(chunk: string): string | null {
    if (this.isOver) return null;
    const searchFrom = Math.max(0, this.text.length - LONGEST_MARK);
    this.text += chunk;
    const own = untilNextTurn(this.text, searchFrom);
    this.isOver = own.length < this.text.length;
    const from = afterReasoning(own, searchFrom);
    this.isLead ||= from > 0;
    this.text = this.text.slice(from);
    const rest = own.slice(from, from + LONGEST_LEAD);
    const start = LEAD.exec(rest)?.[0].length ?? 0;
    if (this.isLead && OBJECT.test(rest.slice(start))) return this.text.slice(start);
    if (this.text.length > LONGEST_LEAD) {
      this.isLead = false;
      this.text = this.text.slice(-LONGEST_MARK);
    }
    return null;
  }
}

/** Whether reasoning ends in this text, so that what stands before it was no reply. */
export function endsReasoning(text: string): boolean {
  return afterReasoning(untilNextTurn(text)) > 0;
}

/** Whether marks of reasoning stand in this text. */
export function holdsReasoning(text: string): boolean {
  return REASONING_BEGINS.test(text) || endsReasoning(text);
}

/** Marks of reasoning, channels, turns and calls: never part of what is said. */
const MARK = new RegExp(
  [
    `< ?[/\\\\]? ?[^<>\\s/]{0,24}${REASONING}[^<>\\s]{0,24}(?:\\s[^<>]{0,40})?>`,
    `\\[/?${REASONING}\\w{0,8}\\]`,
    '◁/?think▷',
    '<[|｜][^<>]{1,60}>|<[^<>|\\s]{1,20}[|｜]>',
    '</?[^<>\\s]{0,24}(?:tool_?call|function_?call|invoke)[^<>]{0,40}>|<function[= ]',
    '\\[(?:TOOL_CALLS|unused1[67])\\]',
  ].join('|'),
  'i',
);
/** The end of a text that may become a mark. */
const MARK_BEGUN = new RegExp(`[<[◁](?:[^<>[\\]◁▷]{0,${String(LONGEST_MARK)}})$`);
/** Texts that begin like this are no speech: another object, a fence of code, the word that Gemma 4 begins with. */
const NO_SPEECH = /^\s*(?:```\w*\s*)?[{[]\s*["{]|^\s*thought\n/i;
const NO_SPEECH_BEGUN =
  /^\s*(?:`{0,3}|```\w*\s*)(?:[{[]\s*)?$|^\s*t(?:h(?:o(?:u(?:g(?:ht?)?)?)?)?)?$/i;

/**
 * What of a reply's text may be said, as it arrives. A grammar may leave a model no place for reasoning and
 * calls but this text. ModelFailure `malformed` where they begin, before any of it is returned.
 */
export class Speech {
  private held = '';
  private hasBegun = false;

  push(piece: string, isWhole: boolean): string {
    const text = this.held + piece;
    if (MARK.test(text) || (!this.hasBegun && NO_SPEECH.test(text)))
      throw new ModelFailure('malformed');
    const isWaiting = !isWhole && !this.hasBegun && NO_SPEECH_BEGUN.test(text);
    const end = isWhole ? text.length : (MARK_BEGUN.exec(text)?.index ?? text.length);
    const said = isWaiting ? '' : text.slice(0, end);
    this.held = text.slice(said.length);
    this.hasBegun ||= said !== '';
    return said;
  }
}
