import { createHmac, timingSafeEqual } from 'node:crypto';
import { hashToken } from '../../common/ids';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Whether `X-Notion-Signature` is the HMAC of exactly these bytes; takes as long for any other one. */
export function isSignedWith(token: string, bytes: Buffer, signature: string): boolean {
  const expected = createHmac('sha256', token).update(bytes).digest();
  const shown = SIGNATURE.exec(signature)?.[1];
  return shown !== undefined && timingSafeEqual(Buffer.from(shown, 'hex'), expected);
}

/** Of equal length whatever was shown, so that the comparison takes the same time. */
export function isSameSecret(shown: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(shown)), Buffer.from(hashToken(secret)));
}
