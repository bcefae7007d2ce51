import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { networkOf } from '../../common/config';
import { ProblemError } from '../../common/http';
import { sha256 } from '../../common/ids';

const WINDOW_MS = 15 * 60_000;
const OF_ONE_ACCOUNT = 10;
/** Accounts with failures, and networks from which their people signed in. */
const MOST_KNOWN = 10_000;

interface Window {
  readonly beganMs: number;
  count: number;
}

/**
 * Counts wrong passwords for each account, known or not: ten in fifteen minutes, on this replica. A network from
 * which the account has signed in is counted apart, so that strangers cannot shut somebody out at their desk.
 */
@Injectable()
export class AccountAttempts {
  /** By account, or by account and network; only hashes. Oldest first. */
  private readonly windows = new Map<string, Window>();
  /** Account and network, the least recent first. */
  private readonly known = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** Counts an attempt as failed until it has succeeded. Throws ProblemError (429) after too many. */
  begin(account: string, address: string): { succeeded: () => void; takeBack: () => void } {
    const ofNetwork = sha256(JSON.stringify([account, networkOf(address)]));
    const key = this.known.has(ofNetwork) ? ofNetwork : sha256(account);
    const window = this.windowOf(key);
    if (window.count >= OF_ONE_ACCOUNT) throw this.refusal(window);
    window.count += 1;
    return {
      succeeded: () => {
        this.windows.delete(key);
        this.known.delete(ofNetwork);
        this.known.add(ofNetwork);
        dropOldest(this.known);
      },
      takeBack: () => {
        window.count -= 1;
      },
    };
  }

  private windowOf(key: string): Window {
    const nowMs = this.clock.monotonicMs();
    const open = this.windows.get(key);
    if (open !== undefined && nowMs - open.beganMs < WINDOW_MS) return open;
    const window = { beganMs: nowMs, count: 0 };
    this.windows.delete(key);
    this.windows.set(key, window);
    dropOldest(this.windows);
    return window;
  }

  private refusal({ beganMs }: Window): ProblemError {
    const leftMs = beganMs + WINDOW_MS - this.clock.monotonicMs();
    return new ProblemError(
      429,
      'too_many_attempts',
      'Too many wrong passwords; try again later.',
      {
        retryAfterS: Math.max(1, Math.ceil(leftMs / 1000)),
      },
    );
  }
}

function dropOldest(of: Map<string, unknown> | Set<string>): void {
  const [oldest] = of.keys();
  if (of.size > MOST_KNOWN && oldest !== undefined) of.delete(oldest);
}
