import { hashToken, newToken, newPinDigits } from '../common/ids';
import { PinTakenError } from './vacancy';
import { Injectable } from '@nestjs/common';
import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { assertOutsideCommit, UnitOfWorkFactory } from '../common/uow';
import { saltOfDeployment } from './invitation.repository';

/** The link's token and the PIN, which the recruiter hands over, and what is stored of them. */
export interface InvitationSecrets {
  readonly token: string;
  readonly tokenHash: string;
  readonly pin: Pin;
  readonly pinKey: string;
}

/**
 * Makes secrets and passes them to `store`, which commits them; makes others when another invitation
 * has the PIN. They are made before the commit, because hashing the PIN takes tens of milliseconds on
 * purpose, and a commit that is repeated must store the same link. Throws what `store` throws;
 * PinTakenError only after five tries.
 */
export function withInvitationSecrets<T>(
  pinKeys: PinHasher,
  store: (secrets: InvitationSecrets) => Promise<T>,
  makePin: () => Pin = newPin,
): Promise<T> {
  return whilePinsAreTaken(async () => store(await newSecrets(pinKeys, makePin())));
}

/**
 * The same for many invitations that one commit stores. `beforeEach` runs before each is made, and may
 * throw to end it: hashing the PINs of many takes seconds.
 */
export function withManyInvitationSecrets<T>(
  pinKeys: PinHasher,
  of: { readonly count: number; readonly beforeEach: () => void },
  store: (secrets: readonly InvitationSecrets[]) => Promise<T>,
): Promise<T> {
  return whilePinsAreTaken(async () => {
    const secrets: InvitationSecrets[] = [];
    // One after the other, so that the hashing takes one thread of the process at a time.
    while (secrets.length < of.count) {
      of.beforeEach();
      secrets.push(await newSecrets(pinKeys, newPin()));
    }
    return store(secrets);
  });
}

async function whilePinsAreTaken<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PinTakenError) || tries >= MAX_TRIES) throw error;
    }
  }
}

/** With a million live invitations a new PIN is taken in one case of a million (10^6 of 10^12 PINs). */
const MAX_TRIES = 5;

/** A PIN as it is compared: twelve ASCII digits. Never stored, logged or put into an error. */
export type Pin = string & { readonly [pinBrand]: true };

declare const pinBrand: unique symbol;

const scryptAsync = promisify<string, string, number, Buffer>(scrypt);
const KEY_BYTES = 32;

/**
 * Makes the stored key of a PIN: scrypt with one salt for the whole deployment. So one hash and one
 * look-up in an index find the invitation of a PIN; a salt for each invitation would cost a hash for
 * each of them.
 *
 * The price: with a dump of the database one hash is tried against all invitations at once. All 10^12
 * PINs take scrypt (42 ms each) 1,300 years of one core, and invitations are valid for two weeks.
 *
 * Online, a guess finds one of 1,000 live invitations with a chance of 1 in 10^9. Callers count
 * guesses (ADR 24).
 */
@Injectable()
export class PinHasher {
  private salt: string | undefined;

  constructor(private readonly units: UnitOfWorkFactory) {}

  /** Takes about 40 ms in a thread, and a commit the first time: called outside of commits. */
  async keyOf(pin: Pin): Promise<string> {
    assertOutsideCommit('scrypt');
    this.salt ??= await this.units.run('pin_salt', (uow) =>
      uow.commit('deployment.pin_salt', saltOfDeployment),
    );
    const key = await scryptAsync(pin, this.salt, KEY_BYTES);
    return key.toString('base64url');
  }
}

export function newPin(): Pin {
  return newPinDigits() as Pin;
}

async function newSecrets(pinKeys: PinHasher, pin: Pin): Promise<InvitationSecrets> {
  const token = newToken();
  return { token, tokenHash: hashToken(token), pin, pinKey: await pinKeys.keyOf(pin) };
}

/** The address that a candidate opens: below `publicUrl`, or below localhost while that is empty. */
export function candidateLink(http: { publicUrl: string; port: number }, token: string): string {
  const base = http.publicUrl === '' ? `http://localhost:${String(http.port)}` : http.publicUrl;
  return `${base}/i/${token}`;
}

/** The address that opens the Telegram bot with the token. */
export function telegramLink(botName: string, token: string): string {
  return `https://t.me/${botName}?start=${token}`;
}

const DIGITS = /^\d{12}$/;
/** Characters that people and keyboards put between digits: spaces, dashes, invisible ones. */
const BETWEEN = /[\s\p{Pd}\p{Cf}\u2212]/gu;
/** Arabic-Indic and Persian digits; full-width ones become ASCII by NFKC. */
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;
/** A PIN with separators is shorter; a longer text is not checked for a PIN. */
const MAX_TYPED = 96;

/** The PIN in what a person typed; null for other text, which does not count as a wrong PIN. */
export function readPin(typed: string): Pin | null {
  if (typed.length > MAX_TYPED) return null;
  const digits = typed
    .normalize('NFKC')
    .replace(BETWEEN, '')
    .replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) & 0xf));
  return DIGITS.test(digits) ? (digits as Pin) : null;
}

/** For display: `1234-5678-9012`. */
export function shownPin(pin: Pin): string {
  return pin.replace(/\d{4}(?=\d)/g, '$&-');
}

/** May be stored, to tell two PINs apart: `••••-••78`. */
export function maskedPin(pin: Pin): string {
  return `••••-••${pin.slice(-2)}`;
}
