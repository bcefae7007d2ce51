import { hashToken, newToken } from '../common/ids';
import { PinTakenError } from './vacancy';
import { newPin, type Pin, type PinHasher } from './pin';

/** The link's token and the PIN as the recruiter hands them over, with what is stored of them. */
export interface InvitationSecrets {
  readonly token: string;
  readonly tokenHash: string;
  readonly pin: Pin;
  readonly pinKey: string;
}

/** With a million live invitations a new PIN is somebody's in one case of a hundred. */
const MAX_TRIES = 5;

/**
 * Makes secrets and gives them to `store`, which commits them; again with others when the PIN is
 * another invitation's. They are made before the commit: hashing the PIN takes tens of milliseconds
 * on purpose, and a commit that is repeated must store the same link. Throws what `store` throws,
 * PinTakenError after five tries.
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

/** The address that a candidate opens: `publicUrl`, or this machine's own while it is empty. */
export function candidateLink(http: { publicUrl: string; port: number }, token: string): string {
  const base = http.publicUrl === '' ? `http://localhost:${String(http.port)}` : http.publicUrl;
  return `${base}/i/${token}`;
}

/** The address that opens the bot with the token. */
export function telegramLink(botName: string, token: string): string {
  return `https://t.me/${botName}?start=${token}`;
}
