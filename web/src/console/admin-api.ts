/** The part of the admin API that reads transcripts. A call never throws; it returns how it ended. */
import type { Transcript } from './wire';

const TIMEOUT_MS = 15_000;
const AUDIO_TIMEOUT_MS = 60_000;

/**
 * How a request ended. `refused`: the token is wrong. `off`: the server has no token. `gone`: there is
 * no such interview, or no longer. `tooMany`: of wrong tokens or of requests; `waitS` is null where the
 * server did not say how long to wait. `unreachable`: no response, or an unreadable one.
 */
export type ApiResult<T> = { kind: 'ok'; value: T } | Failure;

type Failure =
  | { kind: 'refused' }
  | { kind: 'off' | 'gone' | 'unreachable' }
  | { kind: 'tooMany'; waitS: number | null };

/** What a header cannot carry, or no token contains: `fetch` would throw, as without a connection. */
const UNSENDABLE = /[^\x21-\x7e]/;

export class AdminApi {
  constructor(private readonly token: string) {}

  /** With the newest lines, or with those before `before`. */
  transcript(conversationId: string, before: number | null): Promise<ApiResult<Transcript>> {
    const read = async (response: Response) => (await response.json()) as Transcript;
    const query = before === null ? '' : `?before=${String(before)}`;
    return this.get(`${conversationId}/transcript${query}`, TIMEOUT_MS, read);
  }

  recording(conversationId: string, messageId: string): Promise<ApiResult<Blob>> {
    const path = `${conversationId}/voices/${messageId}/audio`;
    return this.get(path, AUDIO_TIMEOUT_MS, (response) => response.blob());
  }

  file(conversationId: string, messageId: string): Promise<ApiResult<Blob>> {
    const path = `${conversationId}/files/${messageId}/content`;
    return this.get(path, AUDIO_TIMEOUT_MS, (response) => response.blob());
  }

  private async get<T>(
    path: string,
    timeoutMs: number,
    read: (response: Response) => Promise<T>,
  ): Promise<ApiResult<T>> {
    const { token } = this;
    if (UNSENDABLE.test(token)) return { kind: 'refused' };
    try {
      const response = await fetch(`/api/v1/admin/conversations/${path}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(timeoutMs),
        cache: 'no-store',
      });
      if (response.ok) return { kind: 'ok', value: await read(response) };
      return await failureOf(response);
    } catch {
      return { kind: 'unreachable' };
    }
  }
}

async function failureOf(response: Response): Promise<Failure> {
  // A key of programs that may not read interviews.
  if (response.status === 403) return { kind: 'refused' };
  if (response.status === 401) {
    return { kind: (await codeOf(response)) === 'admin_api_off' ? 'off' : 'refused' };
  }
  if (response.status === 429) {
    const waitS = Number(response.headers.get('retry-after'));
    return { kind: 'tooMany', waitS: waitS > 0 ? waitS : null };
  }
  return { kind: response.status === 404 ? 'gone' : 'unreachable' };
}

/** Undefined: not a problem document, as a proxy responds. */
async function codeOf(response: Response): Promise<unknown> {
  const problem: unknown = await response.json().catch(() => undefined);
  return typeof problem === 'object' && problem !== null && 'code' in problem
    ? problem.code
    : undefined;
}
