const MAX_NAME = 100;
const MAX_EMAIL = 254;

/** Letters and digits of any script first, and no character that is not seen, or looks like an end of the name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .,'’()-]*$/u;
const EMAIL =
  /^[^\s@"<>(),:;\\\p{Cc}\p{Cf}\p{Surrogate}]+@[^\s@"<>(),:;\\\p{Cc}\p{Cf}\p{Surrogate}]+$/u;
const OTHERS = /[^\p{L}\p{M}\p{N} .,'’()-]+/gu;

/**
 * A person's name in one form, as the audit has it: Unicode's compatibility composition, one space between words.
 * Null: it is no name; those have 1 to 100 characters and begin with a letter or a digit.
 */
export function userNameOf(given: string): string | null {
  const name = given.normalize('NFKC').replace(/\s+/gu, ' ').trim();
  return name.length <= MAX_NAME && NAME.test(name) ? name : null;
}

/** The same of what a provider of sign-in says: characters that no name has are left out. */
export function providedName(given: string): string {
  const cut = given
    .normalize('NFKC')
    .replace(OTHERS, ' ')
    .slice(0, MAX_NAME - 10);
  return userNameOf(cut) ?? 'Colleague';
}

/** An address in the form in which it is stored and looked up; null: it is none. */
export function userEmailOf(given: string): string | null {
  const email = given.trim().toLowerCase();
  return email.length <= MAX_EMAIL && EMAIL.test(email) ? email : null;
}
