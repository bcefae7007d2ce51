import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { hashToken } from '../../common/ids';
import type { UnitOfWork } from '../../common/uow';
import { SignalConnection, type SignalListener } from '../../persistence';
import { type KeyState, KeyRepository, type ShownKey } from './key.repository';
import type { Principal } from '../rights';

/** The form of newApiKey(); any other token is unknown without asking the database. */
const API_KEY = /^colloquy_[\w-]{43}$/;

export function isApiKey(token: string): boolean {
  return API_KEY.test(token);
}

/** What is sent to all replicas with the commit that revokes a key. */
export function revokedSignal(keyId: string): string {
  return JSON.stringify([['key', keyId]]);
}

const REVOKED = /^\[\["key","([0-9a-f-]{36})"\]\]$/;

/** The id of the key that a signal says is revoked; null: it is another signal. */
export function revokedKeyIn(payload: string): string | null {
  return REVOKED.exec(payload)?.[1] ?? null;
}

/** Whose key a token is, and whether it may still be used. */
export type FoundKey =
  { readonly state: 'unknown' } | { readonly state: KeyState; readonly principal: Principal };

const UNKNOWN: FoundKey = { state: 'unknown' };

/** How long a key may work after its end on a replica that got no signal of it. */
const REMEMBERED_MS = 10_000;

interface Remembered {
  readonly keyId: string;
  readonly found: FoundKey;
  readonly untilMs: number;
}

/**
 * Whose key a token is. What was found is remembered for 10 s, because a program may send several
 * requests a second and each look-up costs a commit.
 *
 *   unknown ──looked up──> remembered ──10 s, its end date, or a signal that it is revoked──> unknown
 *
 * The commit that revokes a key sends a signal to every replica. While the connection for signals is lost
 * nothing is remembered. Only keys that exist are remembered, so there are few.
 */
@Injectable()
export class KeyLookup implements SignalListener, OnModuleInit {
  /** By the token's hash. */
  private readonly remembered = new Map<string, Remembered>();
  /** Counts endings: a look-up that ran meanwhile may have read a key that has ended since. */
  private endings = 0;

  constructor(
    private readonly keys: KeyRepository,
    private readonly signals: SignalConnection,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.signals.listen(this);
  }

  /** `unit`: the request's unit of work, opened only when the database is asked. */
  async find(token: string, unit: () => UnitOfWork): Promise<FoundKey> {
    if (!isApiKey(token)) return UNKNOWN;
    const hash = hashToken(token);
    const known = this.remembered.get(hash);
    const nowMs = this.clock.monotonicMs();
    if (known !== undefined && known.untilMs > nowMs && this.signals.isConnected) {
      return known.found;
    }
    this.remembered.delete(hash);
    const { endings } = this;
    const shown = await unit().commitOne('key.use', (tx) => this.keys.use(tx, hash));
    if (shown === null) return UNKNOWN;
    const found = { state: shown.state, principal: principalOf(shown) };
    if (endings === this.endings && this.signals.isConnected) {
      const leftMs = shown.state === 'live' ? shown.remainingMs : REMEMBERED_MS;
      const untilMs = nowMs + Math.min(leftMs, REMEMBERED_MS);
      this.remembered.set(hash, { keyId: shown.id, found, untilMs });
    }
    return found;
  }

  /** The key has ended: called after the commit. */
  forget(keyId: string): void {
    this.endings += 1;
    for (const [hash, remembered] of this.remembered) {
      if (remembered.keyId === keyId) this.remembered.delete(hash);
    }
  }

  onSignal(payload: string): void {
    const keyId = revokedKeyIn(payload);
    if (keyId !== null) this.forget(keyId);
  }

  /** Signals may have been missed while there was no connection. */
  onConnected(): void {
    this.endings += 1;
    this.remembered.clear();
  }
}

function principalOf({ id, name, scopes, vacancyIds }: ShownKey): Principal {
  return { keyId: id, userId: null, actor: `key ${name}`, scopes, vacancyIds };
}
