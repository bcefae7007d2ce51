/** Who did something, as the audit names it: `user Ada Lovelace` is a colleague; anything else is no person. */
export function colleagueOf(actor: string): string | null {
  return /^user (.+)$/.exec(actor)?.[1] ?? null;
}
