import type { ResponseParameters } from '@grammyjs/types';

/** A call that the Bot API refuses: HTTP status, description, and what a caller can do about it. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly description: string,
    readonly parameters?: ResponseParameters,
  ) {
    super(description);
  }

  static badRequest(reason: string): ApiError {
    return new ApiError(400, `Bad Request: ${reason}`);
  }

  static forbidden(reason: string): ApiError {
    return new ApiError(403, `Forbidden: ${reason}`);
  }

  static conflict(reason: string): ApiError {
    return new ApiError(409, `Conflict: ${reason}`);
  }

  /** `retryAfterS`: whole seconds, at least 1. */
  static tooManyRequests(retryAfterS: number): ApiError {
    const description = `Too Many Requests: retry after ${String(retryAfterS)}`;
    return new ApiError(429, description, { retry_after: retryAfterS });
  }
}
