import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { hashToken, newPin, newToken } from '../common/ids';

const scryptAsync = promisify<string, Buffer, number, Buffer>(scrypt);
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** The link's token and the PIN as the recruiter hands them over, with what is stored of them. */
export interface InvitationSecrets {
  readonly token: string;
  readonly tokenHash: string;
  readonly pin: string;
  readonly pinHash: string;
}

/**
 * Made before the commit: hashing the PIN takes tens of milliseconds on purpose, and a commit that
 * is repeated must store the same link.
 */
export async function newInvitationSecrets(): Promise<InvitationSecrets> {
  const token = newToken();
  const pin = newPin();
  return { token, tokenHash: hashToken(token), pin, pinHash: await hashPin(pin) };
}

/**
 * A PIN has a million values, so a plain hash of it is reversed in a second by whoever reads the
 * table. scrypt with a salt per PIN makes that about half a day of one core for each, longer than
 * is worth it for a PIN that dies with its invitation, and needs no server key to be kept.
 */
async function hashPin(pin: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await scryptAsync(pin, salt, KEY_BYTES);
  return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** Whether `pin` is the one behind `pinHash`. Guesses are counted by the caller. */
export async function isPin(pin: string, pinHash: string): Promise<boolean> {
  const [scheme, salt, key] = pinHash.split('$');
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false;
  const stored = Buffer.from(key, 'base64url');
  const given = await scryptAsync(pin, Buffer.from(salt, 'base64url'), KEY_BYTES);
  return stored.length === given.length && timingSafeEqual(stored, given);
}
