import { retryDelayMs } from '../jobs';
import type { SendOutcome } from '../channels';

/** A part is given up after this many sends that failed without arriving. */
export const MAX_FAILURES = 5;
/** Sends without any response: the first one, and one retry. */
export const MAX_UNKNOWNS = 2;
/** Pauses before each resend after a 5xx; after the last one the part counts as unconfirmed. */
export const SERVER_ERROR_PAUSES_MS = [1000, 5000, 30_000, 120_000] as const;

/** How often a part, or another message of the bot, was sent, by outcome. */
export interface SendHistory {
  /** Sends that failed without arriving. */
  readonly failures: number;
  /** Sends without a response: a timeout, a lost connection, a crash. They may have arrived. */
  readonly unknowns: number;
  /** Sends that the server responded to with a 5xx. They may have arrived. */
  readonly serverErrors: number;
}

/** What happens to a part next. */
export type NextSend =
  | { readonly kind: 'sent'; readonly externalId: string }
  /** It is unknown whether it arrived, and only a person sends it again. */
  | { readonly kind: 'unconfirmed' }
  | ({ readonly kind: 'again'; readonly delayMs: number } & SendHistory)
  | { readonly kind: 'dead'; readonly error: string }
  | { readonly kind: 'blocked'; readonly error: string };

/** `chance` is a number from 0 to 1 for the jitter. */
export function afterSend(part: SendHistory, outcome: SendOutcome, chance: number): NextSend {
  switch (outcome.kind) {
    case 'sent':
      return { kind: 'sent', externalId: outcome.externalId };
    case 'unknown':
      return afterUnknown(part, chance);
    case 'server_error':
      return afterServerError(part);
    case 'not_sent':
      return afterFailure(part, outcome.error, chance);
    case 'paused':
    case 'unavailable':
      return { kind: 'again', ...historyOf(part), delayMs: 0 };
    case 'blocked':
      return { kind: 'blocked', error: outcome.error };
    case 'refused':
      return { kind: 'dead', error: outcome.error };
  }
}

/** After the second send without a response the part is unconfirmed, and only a person sends it again. */
export function afterUnknown(part: SendHistory, chance: number): NextSend {
  const unknowns = part.unknowns + 1;
  if (unknowns >= MAX_UNKNOWNS) return { kind: 'unconfirmed' };
  const delayMs = retryDelayMs(part.failures + 1, chance);
  return { kind: 'again', ...historyOf(part), unknowns, delayMs };
}

/** The part is sent again, because reading it twice is better than never reading it. */
export function afterServerError(part: SendHistory): NextSend {
  const delayMs = SERVER_ERROR_PAUSES_MS[part.serverErrors];
  if (delayMs === undefined) return { kind: 'unconfirmed' };
  return { kind: 'again', ...historyOf(part), serverErrors: part.serverErrors + 1, delayMs };
}

/** Whether any send so far may have arrived. */
export function mayHaveArrived({ unknowns, serverErrors }: SendHistory): boolean {
  return unknowns + serverErrors > 0;
}

/**
 * Whether the channel's server failed: its breaker opens, and the time until the server responds
 * again does not count towards pauses before resends. A send that this process aborted says nothing
 * about the server.
 */
export function isOutage(outcome: SendOutcome): boolean {
  switch (outcome.kind) {
    case 'unknown':
      return outcome.isOurs !== true;
    case 'server_error':
    case 'unavailable':
      return true;
    case 'sent':
    case 'not_sent':
    case 'paused':
    case 'blocked':
    case 'refused':
      return false;
  }
}

/** Given up after the last try: dead, or unconfirmed if an earlier send may have arrived. */
function afterFailure(part: SendHistory, error: string, chance: number): NextSend {
  const failures = part.failures + 1;
  if (failures < MAX_FAILURES) {
    return {
      kind: 'again',
      ...historyOf(part),
      failures,
      delayMs: retryDelayMs(failures, chance),
    };
  }
  return mayHaveArrived(part) ? { kind: 'unconfirmed' } : { kind: 'dead', error };
}

function historyOf({ failures, unknowns, serverErrors }: SendHistory): SendHistory {
  return { failures, unknowns, serverErrors };
}
