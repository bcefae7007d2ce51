/** What an error carries for a log line: never a candidate's words, never a secret. */
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
