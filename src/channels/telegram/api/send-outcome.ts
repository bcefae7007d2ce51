import type { SendOutcome } from '../../../delivery';
import type { BotApiError } from './bot-api-error';

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
