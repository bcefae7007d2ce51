import type { APIErrorCode } from '@notionhq/client';

/** Notion's codes; `missing_version` is documented, though the SDK does not list it. */
export type ErrorCode = `${APIErrorCode}` | 'missing_version';

interface Details {
  /** Whole seconds, for the header Retry-After. */
  readonly retryAfterS?: number;
  readonly additionalData?: Readonly<Record<string, string>>;
}

/** A call that Notion refuses: HTTP status, code, message, and what a caller can do about it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    readonly details: Details = {},
  ) {
    super(message);
  }

  static validation(reason: string): ApiError {
    return new ApiError(400, 'validation_error', reason);
  }

  /** For objects that do not exist and objects that are not shared; Notion does not distinguish them. */
  static notFound(what: string, id: string): ApiError {
    const hint = 'Make sure the relevant pages and databases are shared with your integration.';
    return new ApiError(404, 'object_not_found', `Could not find ${what} with ID: ${id}. ${hint}`);
  }

  static rateLimited(retryAfterS: number, reason: string): ApiError {
    return new ApiError(
      429,
      'rate_limited',
      'You have been rate limited. Please try again later.',
      {
        retryAfterS,
        additionalData: { rate_limit_reason: reason },
      },
    );
  }

  static overloaded(retryAfterS: number): ApiError {
    return new ApiError(529, 'service_overload', 'Notion is overloaded. Please try again later.', {
      retryAfterS,
    });
  }
}
