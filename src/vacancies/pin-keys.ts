import { Injectable } from '@nestjs/common';
import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { newToken } from '../common/ids';
import { assertOutsideCommit, type Tx, UnitOfWorkFactory } from '../common/uow';
import type { Pin } from './pin';

const scryptAsync = promisify<string, string, number, Buffer>(scrypt);
const KEY_BYTES = 32;
const SALT_NAME = 'pin_salt';

/**
 * What is stored of a PIN: scrypt with one salt of the whole deployment, so that one hash and one
 * look-up in an index find the invitation of a PIN, where a salt for each would cost a hash for
 * each invitation there is.
 *
 * What that gives away: whoever holds a dump tries a PIN against all invitations at once. The 10^12
 * PINs take scrypt (42 ms each) 1,300 years of one core; invitations live two weeks.
 *
 * Online, a guess hits one of 1,000 live invitations with a chance of 1 in 10^9. Whoever takes
 * guesses counts them (ADR 12).
 */
@Injectable()
export class PinHasher {
  private salt: string | undefined;

  constructor(private readonly units: UnitOfWorkFactory) {}

  /** Takes some 40 ms beside the event loop, and the first time a commit: call it outside of one. */
  async keyOf(pin: Pin): Promise<string> {
    assertOutsideCommit('scrypt');
    this.salt ??= await this.units.run('pinSalt', (uow) =>
      uow.commit('deployment.pinSalt', saltOfDeployment),
    );
    const key = await scryptAsync(pin, this.salt, KEY_BYTES);
    return key.toString('base64url');
  }
}

/** Made at first use; of replicas that make it at once, one is stored and all read that one. */
async function saltOfDeployment(tx: Tx): Promise<string> {
  await tx.query(
    `insert into deployment_secret (name, value) values ($1, $2) on conflict (name) do nothing`,
    [SALT_NAME, newToken()],
  );
  const [row] = await tx.query<{ value: string }>(
    'select value from deployment_secret where name = $1',
    [SALT_NAME],
  );
  if (row === undefined) throw new Error('a secret that was stored is not there');
  return row.value;
}
