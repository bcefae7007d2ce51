import { TelegramError } from 'telegraf';
import { z } from 'zod';
import type { SendOutcome } from '../../../channels';

/**
 * Why the Bot API did not do what it was asked for.
 *
 *   paused        429: the whole bot waits for so long
 *   blocked       403: the person does not take messages of the bot
 *   refused       this call will never be taken: 400 and the like
 *   unauthorized  the token is not (or no longer) a bot's
 *   conflict      409: somebody else asks for updates, or a webhook is set
 *   unreachable   there was no connection: nothing arrived
 *   server_error  a 5xx, of the Bot API or a server in between: it may have arrived
 *   unknown       it broke off or was late: it may have arrived
 */
export type ApiFailure =
  | { readonly kind: 'paused'; readonly forMs: number }
  | { readonly kind: 'blocked'; readonly description: string }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  | { readonly kind: 'unauthorized' | 'conflict' | 'unreachable' }
  | { readonly kind: 'server_error'; readonly code: number }
  | { readonly kind: 'unknown'; readonly cause: string };

/** Carries the Bot API's own words at most, never what was sent. */
export class BotApiError extends Error {
  override readonly name = 'BotApiError';

  constructor(
    readonly method: string,
    readonly failure: ApiFailure,
  ) {
    super(`${method}: ${failure.kind}${detailOf(failure)}`);
  }
}

function detailOf(failure: ApiFailure): string {
  switch (failure.kind) {
    case 'refused':
      return ` (${String(failure.code)} ${failure.description})`;
    case 'unknown':
      return ` (${failure.cause})`;
    case 'server_error':
      return ` (status ${String(failure.code)})`;
    case 'paused':
    case 'blocked':
    case 'unauthorized':
    case 'conflict':
    case 'unreachable':
      return '';
  }
}

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

/** What a failed send means to a delivery. `isOurs`: this process broke it off. */
export function outcomeOf({ failure }: BotApiError, isOurs: boolean): SendOutcome {
  switch (failure.kind) {
    case 'paused':
      return failure;
    case 'unknown':
      return { kind: 'unknown', isOurs };
    case 'server_error':
    case 'refused':
      // Not its words: they may quote ours.
      return { kind: failure.kind, error: `status_${String(failure.code)}` };
    case 'blocked':
      return { kind: 'blocked', error: 'blocked' };
    case 'unauthorized':
    case 'conflict':
    case 'unreachable':
      return { kind: 'unavailable', error: failure.kind };
  }
}
