import { Injectable } from '@nestjs/common';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import {
  ROLES,
  UserSessions,
  Users,
  scopesOf,
  signInNeeded,
  userEmailOf,
  userNameOf,
} from '../access';
import type { Tx } from '../common/uow';
import { slugsOf } from '../vacancies';
import { VacancySlugs } from './vacancy-slugs';

export const signInMethod = z.enum(['password', 'oidc']);

export const limitedTo = z
  .array(z.string())
  .nullable()
  .describe('Slugs of the vacancies that the user reaches; null: all');

/** How colleagues are named. */
export const nameField = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => userNameOf(name) !== null);

export const emailField = z
  .string()
  .min(3)
  .max(300)
  .refine((email) => userEmailOf(email) !== null);

const sessionJson = z.object({
  user: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    role: z.enum(ROLES),
    vacancies: limitedTo,
  }),
  scopes: z.array(z.string()),
  method: signInMethod.describe('How the user has signed in'),
  confirmedUntil: z.iso
    .datetime()
    .nullable()
    .describe('Until then nothing asks for the password again; null: it has to be shown'),
  endsAt: z.iso.datetime().describe('When the session ends unless it is used before'),
});

export class TeamSessionDto extends createZodDto(sessionJson) {}

/** What a person is told about the session in which they are. */
@Injectable()
export class SessionView {
  constructor(
    private readonly users: Users,
    private readonly sessions: UserSessions,
    private readonly slugs: VacancySlugs,
  ) {}

  /** Throws ProblemError (401) when it has ended since it was looked up. */
  async of(
    tx: Tx,
    session: { readonly id: string; readonly userId: string },
  ): Promise<z.infer<typeof sessionJson>> {
    const user = await this.users.get(tx, session.userId);
    const ends = await this.sessions.ends(tx, session.id);
    if (ends === null) throw signInNeeded();
    const { method, confirmedUntil, endsAt } = ends;
    const { id, name, email, role, vacancyIds } = user;
    const vacancies = slugsOf(vacancyIds, await this.slugs.byId(tx));
    return {
      user: { id, name, email, role, vacancies },
      scopes: [...scopesOf(role)],
      method,
      confirmedUntil: confirmedUntil?.toISOString() ?? null,
      endsAt: endsAt.toISOString(),
    };
  }
}
