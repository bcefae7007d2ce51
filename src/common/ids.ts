import { createHash, randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** The only place that makes ids and secrets, and compares secrets. */

/** A new row's id: UUID version 7, so that an index grows at its end. */
export function newId(): string {
  return uuidv7();
}

/** The lowest id of `newId` in this millisecond: ids at and after a time are not below it. */
export function firstIdAt(time: Date): string {
  const ms = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is an id as we show it: PostgreSQL fails on what is no UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A secret for a link or a session: 24 random bytes as 32 characters of base64url. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * A key for programs: 32 random bytes as 43 characters of base64url, behind a prefix by which people and scanners
 * for secrets recognise it.
 */
export function newApiKey(): string {
  return `colloquy_${randomBytes(32).toString('base64url')}`;
}

/** Twelve digits for a PIN, leading zeros kept. */
export function newPinDigits(): string {
  return randomInt(0, 10 ** 12)
    .toString()
    .padStart(12, '0');
}

/** As hex. A text is hashed in UTF-8. */
export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What is stored of a secret. Tokens are random, so no salt is needed. */
export function hashToken(token: string): string {
  return sha256(token);
}

/** Compares hashes, which have one length, so that the comparison takes the same time for any input. */
export function isSameSecret(shown: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(shown)), Buffer.from(hashToken(secret)));
}

/**
 * A trace's id of W3C Trace Context: 16 bytes as hex. Each request has one, so it is made of a UUID, for
 * which Node takes random bytes in advance; 6 of the 128 bits are fixed.
 */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The id of one span of a trace: 8 bytes as hex, of which 2 bits are fixed. */
export function newSpanId(): string {
  return newTraceId().slice(16);
}
