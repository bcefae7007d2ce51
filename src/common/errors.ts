/** Fields of an error for a log line: never a candidate's words, never a secret. */
export type ErrorFields = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The base of every error that a caller can decide on: one class per decision. `code` is stable
 * and may be shown; `retryable` says whether the same call may succeed later.
 */
export abstract class ColloquyError extends Error {
  abstract readonly code: string;
  abstract readonly retryable: boolean;
  readonly fields: ErrorFields;

  constructor(message: string, options: { fields?: ErrorFields; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.fields = options.fields ?? {};
  }
}

/**
 * An error as text for a log line or a stored row. Our own messages quote nothing that may not be
 * shown. A message of a library (a driver, a parser) quotes its input, which may be a candidate's
 * words or a link's token, so it is cut before the first quotation mark.
 */
export function describeError(error: unknown): string {
  if (error instanceof ColloquyError) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return 'a value that is not an Error was thrown';
  return `${error.name}: ${withoutQuotes(error.message)}`;
}

/** The lines `at …` of a stack, without the message. */
export function stackFrames(stack: string | undefined): string {
  const lines = (stack ?? '').split('\n').filter((line) => FRAME.test(line));
  return lines.slice(0, MAX_FRAMES).join('\n');
}

/** Cut before the first quotation mark, and at the end of the first line. */
export function withoutQuotes(message: string): string {
  const cut = message.search(QUOTE_OR_NEWLINE);
  return cut === -1 ? message : `${message.slice(0, cut).trimEnd()} …`;
}

const QUOTE_OR_NEWLINE = /["'`«“”‘’\n]/;
const FRAME = /^\s+at .*(:\d+:\d+\)?|<anonymous>\)?|\(native\))$/;
const MAX_FRAMES = 20;
