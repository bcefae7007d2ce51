import { hashToken, newToken } from '../common/ids';
import { PinTakenError } from './vacancy';
import { newPin, type Pin, type PinHasher } from './pin';

/** The link's token and the PIN, which the recruiter hands over, and what is stored of them. */
export interface InvitationSecrets {
  readonly token: string;
  readonly tokenHash: string;
  readonly pin: Pin;
  readonly pinKey: string;
}

/** With a million live invitations a new PIN is taken in one case of a million (10^6 of 10^12 PINs). */
const MAX_TRIES = 5;

/**
 * Makes secrets and passes them to `store`, which commits them; makes others when another invitation
 * has the PIN. They are made before the commit, because hashing the PIN takes tens of milliseconds on
 * purpose, and a commit that is repeated must store the same link. Throws what `store` throws;
 * PinTakenError only after five tries.
 */
export async function withInvitationSecrets<T>(
  pinKeys: PinHasher,
  store: (secrets: InvitationSecrets) => Promise<T>,
  makePin: () => Pin = newPin,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const secrets = await newSecrets(pinKeys, makePin());
    try {
      return await store(secrets);
    } catch (error) {
      if (!(error instanceof PinTakenError) || tries >= MAX_TRIES) throw error;
    }
  }
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
