import { TelegramError } from 'telegraf';
import { z } from 'zod';
import type { SendOutcome } from '../../../channels';
import { isTimeLimit } from '../../../common/clock';
import { failureCodeOf, wasNeverSent } from '../../../common/http';

/**
 * Why a call of the Bot API failed.
 *
 *   paused        429: the whole bot waits for `forMs`
 *   blocked       403: the person does not take messages of the bot
 *   refused       the call will never succeed: 400 and the like
 *   unauthorized  Telegram does not know the token (any more)
 *   conflict      409: another process polls, or a webhook is set
 *   unreachable   no connection, so nothing arrived
 *   server_error  a 5xx of the Bot API or a server in between; the call may have arrived
 *   unknown       broken off or too late; the call may have arrived
 */
export type ApiFailure =
  | { readonly kind: 'paused'; readonly forMs: number }
  | { readonly kind: 'blocked'; readonly description: string }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  | { readonly kind: 'unauthorized' | 'conflict' | 'unreachable' }
  | { readonly kind: 'server_error'; readonly code: number }
  | { readonly kind: 'unknown'; readonly cause: string };

/**
 * Its message contains the Bot API's description, which may quote what was sent: log it only for calls
 * without a person's words.
 */
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

/** The cause of an unknown outcome: the call's time limit was over. */
export const TIMEOUT = 'timeout';
/** Pause when the server does not say how long to wait. */
const PAUSE_MS = 1000;
/** Methods that a server may not know yet; for any other, 404 means that the token has no bot. */
const NEWEST = new Set(['sendMessageDraft']);

/** The failure that an error of the client library stands for. */
export function failureOf(method: string, error: unknown): ApiFailure {
  if (error instanceof TelegramError) return failureOfResponse(method, error);
  if (isTimeLimit(error)) return { kind: 'unknown', cause: TIMEOUT };
  if (wasNeverSent(error)) return { kind: 'unreachable' };
  return { kind: 'unknown', cause: failureCodeOf(error) ?? nameOf(error) };
}

/** Throws what the client library throws for the same response to a call. */
export async function assertTaken(response: Response): Promise<void> {
  const { status: code, statusText: description } = response;
  if (code >= 500) {
    await response.body?.cancel();
    throw new TelegramError({ error_code: code, description });
  }
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

/** The same for a file's download. A 429 concerns the whole bot here too. */
export async function fileFailureOf(response: Response): Promise<ApiFailure> {
  const { status: code } = response;
  if (code !== 429) {
    await response.body?.cancel();
    if (code >= 500) return { kind: 'server_error', code };
    return { kind: 'refused', code, description: 'no such file' };
  }
  const body: unknown = await response.json().catch(() => null);
  const seconds = ASKED_TO_WAIT.safeParse(body).data?.parameters.retry_after;
  return { kind: 'paused', forMs: seconds === undefined ? PAUSE_MS : seconds * 1000 };
}

function failureOfResponse(method: string, error: TelegramError): ApiFailure {
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

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unreadable error';
}

/** The outcome of a failed send for a delivery. `isOurs`: this process aborted it. */
export function outcomeOf({ failure }: BotApiError, isOurs: boolean): SendOutcome {
  switch (failure.kind) {
    case 'paused':
      return failure;
    case 'unknown':
      return { kind: 'unknown', isOurs };
    case 'server_error':
    case 'refused':
      // Without the description, which may quote the message.
      return { kind: failure.kind, error: `status_${String(failure.code)}` };
    case 'blocked':
      return { kind: 'blocked', error: 'blocked' };
    case 'unauthorized':
    case 'conflict':
    case 'unreachable':
      return { kind: 'unavailable', error: failure.kind };
  }
}
