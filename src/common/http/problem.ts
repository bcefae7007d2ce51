import { ColloquyError, type ErrorFields } from '../errors';

/** A refusal that is meant for the client, with its status: bad input, no such thing, not now. */
export class ProblemError extends ColloquyError {
  readonly retryable: boolean;

  constructor(
    readonly status: number,
    readonly code: string,
    title: string,
    options: { fields?: ErrorFields; retryAfterS?: number } = {},
  ) {
    super(title, options.fields === undefined ? {} : { fields: options.fields });
    this.retryAfterS = options.retryAfterS ?? null;
    this.retryable = this.retryAfterS !== null;
  }

  readonly retryAfterS: number | null;
}

/** Problem details for HTTP APIs (RFC 9457). `code` is stable; `title` is for people. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  /** Of a probe: how each of its checks went. */
  readonly checks?: unknown;
}
