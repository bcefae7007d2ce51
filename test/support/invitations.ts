import { hashToken, newToken } from '../../src/common/ids';
import type { InvitationSecrets } from '../../src/vacancies';
import { newPin } from '../../src/vacancies/invitation-secrets';

/** Secrets of an invitation without a usable PIN, because hashing one is slow. */
export function invitationSecrets(): InvitationSecrets {
  const token = newToken();
  return { token, tokenHash: hashToken(token), pin: newPin(), pinKey: newToken() };
}
