/**
 * What a key may be allowed. Nothing here judges people: ratings and decisions name a person and come from
 * people, and a key is no person.
 */
export const SCOPES = [
  'vacancies:read',
  'vacancies:write',
  'invitations:read',
  'invitations:write',
  'interviews:read',
  'attention:read',
  'attention:write',
  'scores:read',
  'decisions:read',
  'candidates:export',
  'candidates:erase',
  'keys:write',
] as const;

export type Scope = (typeof SCOPES)[number];

export interface Rights {
  /** A row of a newer version may have scopes that this version does not know; they allow nothing here. */
  readonly scopes: readonly string[];
  /** The vacancies that it reaches, with their interviews and candidates; null: all, and what belongs to none. */
  readonly vacancyIds: readonly string[] | null;
}

/** Who makes a request of the admin API: a key, or a token of the settings, which has every scope. */
export interface Principal extends Rights {
  /** Null: a token of the settings. */
  readonly keyId: string | null;
  /** As the audit names it: `key crm`, or the name of the token. */
  readonly actor: string;
}

/** Whether `given` allows nothing that `own` does not allow. */
export function isWithin(given: Rights, own: Rights): boolean {
  if (!given.scopes.every((scope) => own.scopes.includes(scope))) return false;
  const { vacancyIds } = own;
  if (vacancyIds === null) return true;
  return given.vacancyIds !== null && given.vacancyIds.every((id) => vacancyIds.includes(id));
}

/** Whether it reaches what belongs to this vacancy; null: what belongs to none. */
export function reaches({ vacancyIds }: Rights, vacancyId: string | null): boolean {
  return vacancyIds === null || (vacancyId !== null && vacancyIds.includes(vacancyId));
}
