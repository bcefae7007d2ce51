import { TelegramError } from 'telegraf';
import type { ApiFailure } from './bot-api-error';

/** The connection was never made, so nothing can have arrived. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);
/** Where the server says nothing of how long to wait. */
const PAUSE_MS = 1000;
/** Which a server may not know yet; of every other method, 404 means that the token has no bot. */
const NEWEST = new Set(['sendMessageDraft']);

/** What an error of the client library says about a call. */
export function failureOf(method: string, error: unknown): ApiFailure {
  if (error instanceof TelegramError) return answered(method, error);
  const code = codeOf(error);
  if (code !== null && NEVER_CONNECTED.has(code)) return { kind: 'unreachable' };
  return { kind: 'unknown', cause: code ?? nameOf(error) };
}

function answered(method: string, error: TelegramError): ApiFailure {
  const { code, description, parameters } = error;
  if (code === 429) {
    const seconds = parameters?.retry_after;
    return { kind: 'paused', forMs: seconds === undefined ? PAUSE_MS : seconds * 1000 };
  }
  if (code === 401 || (code === 404 && !NEWEST.has(method))) return { kind: 'unauthorized' };
  if (code === 403) return { kind: 'blocked', description };
  if (code === 409) return { kind: 'conflict' };
  if (code >= 500) return { kind: 'server_error', code };
  return { kind: 'refused', code, description };
}

function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unreadable error';
}
