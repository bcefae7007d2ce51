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
