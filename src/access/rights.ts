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

/**
 * What only people may be allowed: to judge other people, to let colleagues in, to look at an interview as a candidate,
 * and to begin what deletes for many.
 */
const PERSONAL_SCOPES = [
  'ratings:write',
  'decisions:write',
  'users:write',
  'previews:write',
  'retention:run',
] as const;

export type Scope = (typeof SCOPES)[number] | (typeof PERSONAL_SCOPES)[number];

/** Whether no key and no token can have it. */
export function isPersonal(scope: Scope): boolean {
  return PERSONAL_SCOPES.some((personal) => personal === scope);
}

/** What colleagues are, from the most rights to the fewest. An interviewer always has named vacancies. */
export const ROLES = ['admin', 'recruiter', 'interviewer', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  admin: [...SCOPES, ...PERSONAL_SCOPES],
  recruiter: [
    ...SCOPES.filter((scope) => scope !== 'keys:write'),
    'ratings:write',
    'decisions:write',
    'previews:write',
  ],
  interviewer: [
    'vacancies:read',
    'interviews:read',
    'attention:read',
    'attention:write',
    'scores:read',
    'decisions:read',
    'ratings:write',
  ],
  viewer: ['vacancies:read', 'interviews:read', 'scores:read', 'decisions:read'],
};

/** A role of a newer version allows nothing here. */
export function scopesOf(role: Role): readonly Scope[] {
  return ROLES.includes(role) ? SCOPES_OF[role] : [];
}

export interface Rights {
  /** A row of a newer version may have scopes that this version does not know; they allow nothing here. */
  readonly scopes: readonly string[];
  /** The vacancies that it reaches, with their interviews and candidates; null: all, and what belongs to none. */
  readonly vacancyIds: readonly string[] | null;
}

/** Whether an interviewer or a viewer reaches only some vacancies; admins and recruiters reach all. */
export function mayHaveVacancies(role: Role): boolean {
  return role === 'interviewer' || role === 'viewer';
}

/** Who makes a request of the admin API: a user, a key, or a token of the settings, which has every scope of keys. */
export interface Principal extends Rights {
  /** Null: it is no key. */
  readonly keyId: string | null;
  /** Null: it is no user. */
  readonly userId: string | null;
  /** Of a user: the session of the request. */
  readonly sessionId?: string;
  /** As the audit names it: `user Ada Lovelace`, `key crm`, or the name of the token. */
  readonly actor: string;
}

/** Who it is, as people are shown it: a user by their name alone. `actor`: as the audit names them. */
export function nameIn(actor: string): string {
  return actor.replace(/^user /, '');
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
