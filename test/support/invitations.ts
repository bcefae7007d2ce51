import { hashToken, newToken } from '../../src/common/ids';
import type { InvitationSecrets } from '../../src/vacancies';
import { newPin } from '../../src/vacancies/pin';

/** Secrets of an invitation that nobody opens by its PIN: hashing one takes its time. */
export function invitationSecrets(): InvitationSecrets {
  const token = newToken();
  return { token, tokenHash: hashToken(token), pin: newPin(), pinKey: newToken() };
}
