import { retryDelayMs } from '../tasks';
import type { SendOutcome } from './sending-channel';

/** Sends that surely failed, after which a part is given up. */
export const MAX_FAILURES = 5;
/** Sends that may have arrived: the first, and the one retry. */
export const MAX_UNKNOWNS = 2;

/** What is known of a part besides its text. */
export interface PartHistory {
  /** Sends that surely failed. */
  readonly failures: number;
  /** Sends of which nobody knows whether they arrived. */
  readonly unknowns: number;
}

/** What happens to a part next. */
export type PartNext =
  | { readonly kind: 'sent'; readonly externalId: string }
  | { readonly kind: 'unconfirmed' }
  | ({ readonly kind: 'again'; readonly delayMs: number } & PartHistory)
  | { readonly kind: 'dead'; readonly error: string }
  | { readonly kind: 'blocked'; readonly error: string };

/** `chance` is a number from 0 to 1 for the jitter. */
export function afterSend(part: PartHistory, outcome: SendOutcome, chance: number): PartNext {
  switch (outcome.kind) {
    case 'sent':
      return { kind: 'sent', externalId: outcome.externalId };
    case 'unknown':
      return afterUnknown(part, chance);
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

/** Sent once more, once; then it counts as sent. */
export function afterUnknown(part: PartHistory, chance: number): PartNext {
  const unknowns = part.unknowns + 1;
  if (unknowns >= MAX_UNKNOWNS) return { kind: 'unconfirmed' };
  const delayMs = retryDelayMs(part.failures + 1, chance);
  return { kind: 'again', failures: part.failures, unknowns, delayMs };
}

/** Given up: unless it may have arrived before, it has not. */
function afterFailure(part: PartHistory, error: string, chance: number): PartNext {
  const failures = part.failures + 1;
  if (failures < MAX_FAILURES) {
    const delayMs = retryDelayMs(failures, chance);
    return { kind: 'again', failures, unknowns: part.unknowns, delayMs };
  }
  return part.unknowns > 0 ? { kind: 'unconfirmed' } : { kind: 'dead', error };
}

function historyOf({ failures, unknowns }: PartHistory): PartHistory {
  return { failures, unknowns };
}
