import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { hashToken } from '../../common/ids';
import type { UnitOfWork } from '../../common/uow';
import { SignalCache, SignalConnection } from '../../persistence';
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

/**
 * Whose key a token is. What was found is remembered for a while (`SignalCache`), because a program may send
 * several requests a second and each look-up costs a commit. Only keys that exist are remembered, so there are
 * few.
 */
@Injectable()
export class KeyLookup implements OnModuleInit {
  /** By the token's hash. */
  private readonly found: SignalCache<FoundKey>;

  constructor(
    private readonly keys: KeyRepository,
    private readonly signals: SignalConnection,
    clock: Clock,
  ) {
    this.found = new SignalCache(signals, clock, revokedKeyIn);
  }

  onModuleInit(): void {
    this.signals.listen(this.found);
  }

  /** `unit`: the request's unit of work, opened only when the database is asked. */
  async find(token: string, unit: () => UnitOfWork): Promise<FoundKey> {
    if (!isApiKey(token)) return UNKNOWN;
    const hash = hashToken(token);
    const found = await this.found.find(hash, async () => {
      const shown = await unit().commitOne('key.use', (tx) => this.keys.use(tx, hash));
      if (shown === null) return null;
      const value = { state: shown.state, principal: principalOf(shown) };
      const validMs = shown.state === 'live' ? shown.remainingMs : Infinity;
      return { value, subjectId: shown.id, validMs };
    });
    return found ?? UNKNOWN;
  }

  /** The key has ended: called after the commit. */
  forget(keyId: string): void {
    this.found.forget([keyId]);
  }
}

function principalOf({ id, name, scopes, vacancyIds }: ShownKey): Principal {
  return { keyId: id, userId: null, actor: `key ${name}`, scopes, vacancyIds };
}
