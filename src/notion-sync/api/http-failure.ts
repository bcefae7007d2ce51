import type { APIResponseError, UnknownHTTPResponseError } from '@notionhq/client';

/** An HTTP answer that is no success, in what can be decided on. */
export interface HttpFailure {
  readonly status: number;
  /** Notion's own code; `unknown` where it has none. */
  readonly code: string;
  /** Of a rate limit: whose limit it is. */
  readonly reason: string | null;
  /** What nobody is to call for; null: no pause was asked for. */
  readonly pauseMs: number | null;
  /** False: a server in between answered (a proxy, a firewall, a wrong address). */
  readonly isNotions: boolean;
  /** May quote what was sent: neither logged nor stored. */
  readonly message: string;
  readonly requestId: string | null;
}

/** A rate limit or an overload without a Retry-After. */
const DEFAULT_PAUSE_MS = 1000;
/** No header can stop the sync for longer. */
const LONGEST_PAUSE_MS = 3_600_000;
/** It becomes a metric's label. */
const REASON = /^[a-z_]{1,40}$/;

export function httpFailureOf(
  error: APIResponseError | UnknownHTTPResponseError,
  now: Date,
): HttpFailure {
  const { status, additional_data: data, message } = error;
  const own = ownErrorIn(error.body);
  const reason = data?.['rate_limit_reason'];
  return {
    status,
    code: own ?? 'unknown',
    reason: typeof reason === 'string' && REASON.test(reason) ? reason : null,
    pauseMs: pauseMsOf(status, headerOf(error.headers, 'retry-after'), now),
    isNotions: own !== null,
    message,
    requestId: error.request_id ?? null,
  };
}

/** True of the answers that say: you, or everybody, ask too much. */
export function isOverload(status: number): boolean {
  return status === 429 || status === 529;
}

/** Seconds, or a date. */
function pauseMsOf(status: number, header: string | null, now: Date): number | null {
  const asked = header === null ? null : retryAfterMs(header, now);
  if (asked === null) return isOverload(status) ? DEFAULT_PAUSE_MS : null;
  if (!isOverload(status) && status < 500) return null;
  return Math.min(LONGEST_PAUSE_MS, asked);
}

function retryAfterMs(header: string, now: Date): number | null {
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

function headerOf(headers: unknown, name: string): string | null {
  return headers instanceof Headers ? headers.get(name) : null;
}

/** The code of an error in Notion's own form, also of one that is newer than the client. */
function ownErrorIn(body: string): string | null {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null) return null;
    if (!('object' in parsed) || parsed.object !== 'error' || !('code' in parsed)) return null;
    return typeof parsed.code === 'string' && REASON.test(parsed.code) ? parsed.code : 'unknown';
  } catch {
    return null;
  }
}
