import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserLinks, Users, joinPath } from '../access';
import type { Settings } from '../common/config';
import { UnitOfWorkFactory } from '../common/uow';
import { AuditRepository } from '../privacy';

const ACTOR = 'first start';
const TOKEN = /\/console\/join\/([\w-]{32})\s*$/;

/** Whether there are users yet; else how the first one joins. */
export interface Team {
  readonly hasUsers: boolean;
  /** The link of the first admin, which works once; null: there are users, or the database is a team's own. */
  readonly firstAdminLink: string | null;
}

/**
 * Makes the link of the first admin while there are no users, and keeps it in the data folder, so that the next
 * start shows the same one. Only for the embedded database: on another one somebody invites the first admin by
 * the command line.
 */
export async function teamOf(
  app: NestFastifyApplication,
  { database, oidc }: Settings,
  baseUrl: string,
): Promise<Team> {
  const users = app.get(Users, { strict: false });
  const links = app.get(UserLinks, { strict: false });
  const isEmbedded = database.url === null;
  const file = firstAdminFile(database.dataDir);
  const kept = isEmbedded ? await keptToken(file) : null;
  const token = await app.get(UnitOfWorkFactory).run('user', (uow) =>
    uow.commit('user.first_admin', async (tx) => {
      if (!(await users.isEmpty(tx))) return 'there are users';
      // With OIDC_ONLY nobody joins by a link: the provider says who is an admin.
      if (!isEmbedded || oidc?.isOnly === true) return null;
      if (kept !== null && (await links.isPending(tx, kept))) return kept;
      const invitation = { role: 'admin', vacancyIds: null, name: null, email: null } as const;
      const made = await links.invite(tx, { ...invitation, createdBy: ACTOR });
      const audited = { actor: ACTOR, action: 'user.invite', subjectId: made.link.id } as const;
      await app.get(AuditRepository, { strict: false }).note(tx, audited);
      return made.token;
    }),
  );
  if (token === null) return { hasUsers: false, firstAdminLink: null };
  if (token === 'there are users') {
    // Its link has been used.
    if (kept !== null) await rm(file, { force: true });
    return { hasUsers: true, firstAdminLink: null };
  }
  const firstAdminLink = baseUrl + joinPath(token);
  await keep(file, firstAdminLink);
  return { hasUsers: false, firstAdminLink };
}

export function firstAdminFile(dataDir: string): string {
  return path.join(dataDir, 'first-admin-link');
}

async function keptToken(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return TOKEN.exec(text)?.[1] ?? null;
}

/** Only this user may read it. */
async function keep(file: string, link: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${link}\n`, { mode: 0o600 });
}
