import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { hashToken, isUuid, newApiKey } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { signalWithCommit } from '../../persistence';
import { KeyEndInvalidError, KeyNameTakenError, KeyUnknownError } from '../errors';
import { KeyLookup, revokedSignal } from './key-lookup';
import { type ApiKey, type EndedKey, KeyRepository } from './key.repository';
import type { Rights } from '../rights';

/** Names in the audit contain no other characters, so they need no escaping anywhere. */
export const KEY_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

const DAY_MS = 24 * 3_600_000;
/** The longest life of a key, and its life where nobody chooses a shorter one. */
const LONGEST_DAYS = 365;

interface NewKey extends Rights {
  /** Of the form KEY_NAME. */
  readonly name: string;
  /** Null: in 365 days. */
  readonly expiresAt: Date | null;
  /** Who makes it, as the audit names them. */
  readonly createdBy: string;
}

/** Makes keys, lists them and ends them. The caller notes it in the audit, in the same commit. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly keys: KeyRepository,
    private readonly lookup: KeyLookup,
    private readonly clock: Clock,
  ) {}

  /** The token is returned only here. Throws KeyNameTakenError, KeyEndInvalidError. */
  async create(tx: Tx, key: NewKey): Promise<{ key: ApiKey; token: string }> {
    const token = newApiKey();
    const created = await this.keys.create(tx, {
      ...key,
      expiresAt: this.endOf(key.expiresAt),
      tokenHash: hashToken(token),
    });
    if (created === null) {
      throw new KeyNameTakenError(`A key has or had the name "${key.name}": choose another one.`);
    }
    return { key: created, token };
  }

  /** The newest first, those that have ended too; at most 1,000. */
  list(tx: Tx): Promise<ApiKey[]> {
    return this.keys.list(tx);
  }

  /** Throws KeyUnknownError. */
  async get(tx: Tx, nameOrId: string): Promise<ApiKey> {
    const by = isUuid(nameOrId) ? { id: nameOrId } : { name: nameOrId };
    const key = await this.keys.find(tx, by);
    if (key === null) throw new KeyUnknownError('There is no such key.');
    return key;
  }

  /**
   * No request with the key is let in after the commit, on any replica, and its open streams end.
   * `hasChanged` false: it was revoked before.
   */
  async revoke(tx: Tx, { id }: ApiKey): Promise<{ key: ApiKey; hasChanged: boolean }> {
    const revoked = await this.keys.revoke(tx, id);
    if (revoked === null) return { key: await this.get(tx, id), hasChanged: false };
    await signalWithCommit(tx, [revokedSignal(id)]);
    tx.afterCommit(() => {
      this.lookup.forget(id);
    });
    return { key: revoked, hasChanged: true };
  }

  /** Those of these keys that have ended. Reads only. */
  listEnded(tx: Tx, ids: readonly string[]): Promise<EndedKey[]> {
    return this.keys.listEnded(tx, ids);
  }

  private endOf(expiresAt: Date | null): Date {
    const now = this.clock.now().getTime();
    const latest = now + LONGEST_DAYS * DAY_MS;
    if (expiresAt === null) return new Date(latest);
    // A day that is named by its date ends up to a day later.
    if (expiresAt.getTime() > now && expiresAt.getTime() <= latest + DAY_MS) return expiresAt;
    throw new KeyEndInvalidError('A key ends in the future, and within a year.');
  }
}
