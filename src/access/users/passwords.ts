import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
import { ProblemError } from '../../common/http';
import { Semaphore } from '../../common/uow';
import { PasswordsOffError } from '../errors';
import { PasswordHasher } from './password-hasher';

/** More at once would fill the threads of libuv, on which files and names wait too. */
const AT_ONCE = 2;
const MOST_WAITING = 50;
const RETRY_AFTER_S = 5;

/** Of a password that nobody has, with the costs of `Argon2Hasher`: comparing with it takes as long as with any. */
const NOBODYS =
  '$argon2id$v=19$m=19456,t=2,p=1$XY/GGVT/makPntF9hrruOQ$DYw+XC4jfP+SBN/xlxiMeYWKOjElmgUVc6ShpaX4Bwk';

/**
 * Hashes passwords and compares them, at most two at a time; up to 50 wait for their turn. Never called inside of
 * a commit. `hash` and `isRight` throw PasswordsOffError, and ProblemError (503 `busy`) when too many wait.
 */
@Injectable()
export class Passwords {
  private readonly turns = new Semaphore(AT_ONCE);

  /** Whether people sign in with passwords here. */
  readonly areOn: boolean;

  constructor(
    private readonly hasher: PasswordHasher,
    { oidc }: Settings,
  ) {
    this.areOn = oidc?.isOnly !== true;
  }

  /** Throws PasswordsOffError. */
  assertOn(): void {
    if (this.areOn) return;
    throw new PasswordsOffError('People sign in by single sign-on only (OIDC_ONLY).');
  }

  hash(password: string): Promise<string> {
    return this.inTurn(() => this.hasher.hash(normalised(password)));
  }

  /**
   * `hash` null: there is none, so the result is false, and it takes as long. `mayRun` throws to refuse it when
   * its turn has come.
   */
  async isRight(
    password: string,
    hash: string | null,
    mayRun: () => void = () => undefined,
  ): Promise<boolean> {
    const isSame = await this.inTurn(() => {
      mayRun();
      return this.hasher.verify(hash ?? NOBODYS, normalised(password));
    });
    return isSame && hash !== null;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.assertOn();
    if (this.turns.waiting >= MOST_WAITING) {
      throw new ProblemError(503, 'busy', 'Too many passwords are being checked.', {
        retryAfterS: RETRY_AFTER_S,
      });
    }
    return this.turns.within(work);
  }
}

const SHORTEST = 12;
const LONGEST = 256;
/** A shorter name is a part of many words. */
const SHORTEST_PART = 4;

/**
 * Why somebody should not have this password, as a sentence for them; null: they may. Characters are counted in
 * the form in which passwords are compared.
 */
export function weaknessOf(
  password: string,
  { name, email }: { readonly name: string | null; readonly email: string | null },
): string | null {
  const characters = Array.from(normalised(password));
  if (characters.length < SHORTEST) {
    return `The password is too short: take at least ${String(SHORTEST)} characters.`;
  }
  if (characters.length > LONGEST) {
    return `The password is too long: take at most ${String(LONGEST)} characters.`;
  }
  if (new Set(characters).size === 1) return 'The password is one character, repeated.';
  const own = [name, email, email?.split('@')[0]].flatMap((part) => part ?? []);
  const text = normalised(password).toLowerCase();
  const isOwn = own.some(
    (part) => part.length >= SHORTEST_PART && text.includes(normalised(part).toLowerCase()),
  );
  return isOwn ? 'The password contains your name or your address.' : null;
}

/** Throws ProblemError with the weakness as its detail. */
export function assertStrong(password: string, owner: Parameters<typeof weaknessOf>[1]): void {
  const weakness = weaknessOf(password, owner);
  if (weakness === null) return;
  throw new ProblemError(422, 'password_weak', 'This password is not taken.', { detail: weakness });
}

/** One form for what keyboards send differently (Unicode's compatibility composition). */
function normalised(password: string): string {
  return password.normalize('NFKC');
}
