/** How a request failed, for the page's own words. */

/**
 * `code`: of the problem document; `unreachable` without a response, `unknown` where the response is none of ours.
 * `retryAfterS`: null where the server did not say.
 */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly retryAfterS: number | null = null,
  ) {
    super(`${String(status)} ${code}`);
  }

  /** Trying again by itself can help. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

interface Outcome<T> {
  data?: T | undefined;
  error?: unknown;
  response: Response;
}

/** The data of a call of openapi-fetch. Throws an ApiProblem, or an AbortError for a request that nobody awaits any more. */
export async function done<T>(call: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await reached(call);
  if (!response.ok) throw problemOf(response, error);
  return data as T;
}

async function reached<T>(call: Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiProblem(0, 'unreachable');
  }
}

function problemOf({ status, headers }: Response, body: unknown): ApiProblem {
  const waitS = Number(headers.get('retry-after'));
  return new ApiProblem(status, codeOf(body) ?? 'unknown', waitS > 0 ? waitS : null);
}

/** Null: the body is no problem document. */
export function codeOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('code' in body)) return null;
  return typeof body.code === 'string' ? body.code : null;
}

/** What was thrown, as a problem. */
export function asProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, 'unknown');
}
