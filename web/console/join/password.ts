/** Why a new password would be refused, by the server's rules: said before it is sent, in the page's language. */
export type Weakness = 'short' | 'long' | 'personal' | 'repeated';

const [SHORTEST, LONGEST] = [12, 256];
/** Parts of names and addresses that are too short to give a password away. */
const SHORTEST_PART = 4;

/** Null: nothing speaks against it. `person`: what a guess would try first, the name and the address. */
export function weaknessOf(password: string, person: readonly string[]): Weakness | null {
  const given = password.normalize('NFKC');
  const length = Array.from(given).length;
  if (length < SHORTEST) return 'short';
  if (length > LONGEST) return 'long';
  if (new Set(given).size === 1) return 'repeated';
  const lower = given.toLowerCase();
  const parts = person.map((one) => one.normalize('NFKC').trim().toLowerCase());
  const isPersonal = parts.some((part) => part.length >= SHORTEST_PART && lower.includes(part));
  return isPersonal ? 'personal' : null;
}
