import type { OidcSettings } from '../../common/config';
import { type Role, ROLES } from '../rights';

/** What a provider says of a person, as JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/** The role with the most rights that the claim's values give; null: none, so the person is not let in. */
export function roleIn(claims: Claims, { roleClaim, roles }: OidcSettings): Role | null {
  const claimed = claimIn(claims, roleClaim);
  const values: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  const given = roles.filter(({ value }) => values.includes(value)).map(({ role }) => role);
  return ROLES.find((role) => given.includes(role)) ?? null;
}

/**
 * The value at `realm_access.roles`; undefined: there is none. A name with dots in it, as those that are addresses
 * have, goes before a path.
 */
export function claimIn(claims: unknown, name: string): unknown {
  if (typeof claims !== 'object' || claims === null) return undefined;
  const fields = claims as Claims;
  if (Object.hasOwn(fields, name)) return fields[name];
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const outer = name.slice(0, dot);
    const found = Object.hasOwn(fields, outer)
      ? claimIn(fields[outer], name.slice(dot + 1))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** By what colleagues know the person: the name, else what they sign in with, else the subject. */
export function nameIn(claims: Claims, subject: string): string {
  for (const claim of ['name', 'preferred_username', 'email']) {
    const value = claims[claim];
    if (typeof value === 'string' && /[\p{L}\p{N}]/u.test(value)) return value;
  }
  return subject;
}

/** Null: there is none, or the provider says that it was not verified. */
export function emailIn({ email, email_verified: isVerified }: Claims): string | null {
  return typeof email === 'string' && isVerified !== false ? email : null;
}
