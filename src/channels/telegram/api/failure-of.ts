import { TelegramError } from 'telegraf';
import { z } from 'zod';
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

/** Throws what the client library throws for the same response to a call. */
export async function assertTaken(response: Response): Promise<void> {
  const { status: code, statusText: description } = response;
  if (code >= 500) throw new TelegramError({ error_code: code, description });
  const { ok, parameters, ...error } = RESPONSE.parse(await response.json());
  if (ok) return;
  throw new TelegramError({ ...error, ...(parameters === undefined ? {} : { parameters }) });
}

const RESPONSE = z.object({
  ok: z.boolean(),
  error_code: z.number().default(0),
  description: z.string().default(''),
  parameters: z.object({ retry_after: z.number() }).optional().catch(undefined),
});

const ASKED_TO_WAIT = z.object({ parameters: z.object({ retry_after: z.number() }) });

/** The same about a file that was not handed out. A 429 is bot-wide, wherever it comes from. */
export async function fileFailureOf(response: Response): Promise<ApiFailure> {
  const { status: code } = response;
  if (code >= 500) return { kind: 'server_error', code };
  if (code !== 429) return { kind: 'refused', code, description: 'no such file' };
  const body: unknown = await response.json().catch(() => null);
  const seconds = ASKED_TO_WAIT.safeParse(body).data?.parameters.retry_after;
  return { kind: 'paused', forMs: seconds === undefined ? PAUSE_MS : seconds * 1000 };
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

/** `fetch` says why it failed in the cause of its error. */
function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if (!('code' in error)) return 'cause' in error ? codeOf(error.cause) : null;
  return typeof error.code === 'string' ? error.code : null;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unreadable error';
}
