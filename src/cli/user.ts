import { COMMAND } from '../common/command-name';
import type { Tx } from '../common/uow';
import {
  type ListedUser,
  ROLES,
  type Role,
  type User,
  type UserLink,
  UserLinks,
  UserSessions,
  Users,
  joinPath,
  userEmailOf,
  userNameOf,
} from '../access';
import { type AuditEvent, AuditRepository } from '../privacy';
import { InstanceRepository, slugsOf } from '../vacancies';
import { COMMAND_LINE, type CliContext, withCli } from './cli-context';
import { UsageError } from './failures';
import { type Result, printableLine, timeText } from './output';
import { vacancyIdsOf, vacancySlugs } from './vacancy-names';

export interface UserOptions {
  readonly role: string;
  readonly name?: string;
  readonly email?: string;
  readonly vacancy?: readonly string[];
}

/** Invites a colleague. The link is shown only once; whoever opens it chooses a password. */
export async function createUser(options: UserOptions): Promise<Result> {
  const role = roleOf(options.role);
  const name = partOf('--name', options.name, userNameOf);
  const email = partOf('--email', options.email, userEmailOf);
  return withCli((cli) =>
    cli.commit('user.invite', async (tx) => {
      const { vacancy = null } = options;
      const vacancyIds = vacancy === null ? null : await vacancyIdsOf(cli, tx, vacancy);
      const invitation = { role, name, email, vacancyIds, createdBy: COMMAND_LINE };
      const { link, token } = await cli.get(UserLinks).invite(tx, invitation);
      await note(cli, tx, 'user.invite', link.id);
      const { document, lines } = await shownOnce(cli, tx, { link, token });
      return {
        document: { ...document, role },
        lines: [`A link for a new ${role}, which is shown only now and works once:`, ...lines],
      };
    }),
  );
}

export function listUsers(): Promise<Result> {
  return withCli((cli) =>
    cli.commit('user.list', async (tx) => {
      const users = await cli.get(Users).list(tx);
      const links = await cli.get(UserLinks).listPending(tx);
      const slugs = await vacancySlugs(cli, tx);
      const names = new Map(users.map(({ id, name }) => [id, name]));
      const lines = [
        ...users.flatMap((user) => userLines(user, slugs)),
        ...links.map((link) => linkLine(link, names)),
      ];
      return {
        document: {
          users: users.map((user) => documentOf(user, slugs)),
          invitations: links.map((link) => documentOf(link, slugs)),
        },
        lines:
          lines.length === 0
            ? [`There are no users yet. Invite the first: ${COMMAND} user create --role admin`]
            : lines,
      };
    }),
  );
}

/** No replica lets the user in after this, or each does again. */
export function setDisabled(key: string, isDisabled: boolean): Promise<Result> {
  return withCli((cli) =>
    cli.commit(isDisabled ? 'user.disable' : 'user.enable', async (tx) => {
      const users = cli.get(Users);
      const found = await users.get(tx, key);
      const { user, hasChanged } = isDisabled
        ? await users.disable(tx, found)
        : await users.enable(tx, found);
      if (hasChanged) await note(cli, tx, isDisabled ? 'user.disable' : 'user.enable', user.id);
      const name = printableLine(user.name);
      const state = isDisabled ? 'disabled' : 'enabled';
      const done = isDisabled
        ? `Disabled: ${name} is signed out everywhere and is not let in any more.`
        : `Enabled: ${name} may sign in again.`;
      return {
        document: { ...documentOf(user, await vacancySlugs(cli, tx)), hasChanged },
        lines: [hasChanged ? done : `${name} is ${state} already.`],
      };
    }),
  );
}

/** A link for a new password. It is shown only once. */
export function passwordLink(key: string): Promise<Result> {
  return withCli((cli) =>
    cli.commit('user.password_link', async (tx) => {
      const user = await cli.get(Users).get(tx, key);
      const made = await cli.get(UserLinks).passwordLink(tx, user, COMMAND_LINE);
      await note(cli, tx, 'user.password', user.id);
      const { document, lines } = await shownOnce(cli, tx, made);
      const name = printableLine(user.name);
      return {
        document,
        lines: [`A link for a new password of ${name}, which works once:`, ...lines],
      };
    }),
  );
}

export function endSessions(key: string): Promise<Result> {
  return withCli((cli) =>
    cli.commit('user.end_sessions', async (tx) => {
      const user = await cli.get(Users).get(tx, key);
      const ended = await cli.get(UserSessions).endOthers(tx, user.id, null);
      if (ended > 0) await note(cli, tx, 'session.end', user.id);
      return {
        document: { id: user.id, name: user.name, ended },
        lines: [`Sessions of ${printableLine(user.name)} that have ended: ${String(ended)}.`],
      };
    }),
  );
}

async function shownOnce(
  cli: CliContext,
  tx: Tx,
  { link: { id, expiresAt }, token }: { readonly link: UserLink; readonly token: string },
): Promise<{ document: object; lines: string[] }> {
  const base = await cli.get(InstanceRepository).baseUrl(tx, cli.settings.http);
  const link = base + joinPath(token);
  return {
    document: { id, link, expiresAt },
    lines: [`  ${link}`, `  until ${timeText(expiresAt)}`],
  };
}

/** Throws UsageError, which names every role that there is. */
function roleOf(given: string): Role {
  const role = ROLES.find((known) => known === given);
  if (role !== undefined) return role;
  throw new UsageError(
    `--role ${printableLine(given)}: there is no such role. Known: ${ROLES.join(', ')}`,
  );
}

/** Null: it was not given. Throws UsageError. */
function partOf(
  option: string,
  given: string | undefined,
  read: (text: string) => string | null,
): string | null {
  if (given === undefined) return null;
  const part = read(given);
  if (part !== null) return part;
  throw new UsageError(
    `${option} ${printableLine(given)}: expected a name or an address as people write it`,
  );
}

function note(
  cli: CliContext,
  tx: Tx,
  action: AuditEvent['action'],
  subjectId: string,
): Promise<void> {
  return cli.get(AuditRepository).note(tx, { actor: COMMAND_LINE, action, subjectId });
}

/** The field names of the API. */
function documentOf(of: User | UserLink, slugs: ReadonlyMap<string, string>): object {
  const { vacancyIds, ...others } = of;
  return { ...others, vacancies: slugsOf(vacancyIds, slugs) };
}

function userLines(user: ListedUser, slugs: ReadonlyMap<string, string>): string[] {
  const { name, email, role, method, vacancyIds, signedInAt, disabledAt, sessions } = user;
  return [
    `${printableLine(name)}  ${role}${disabledAt === null ? '' : '  disabled'}`,
    `  address    ${email === null ? 'unknown' : printableLine(email)}`,
    `  vacancies  ${slugsOf(vacancyIds, slugs)?.join(', ') ?? 'all'}`,
    `  signs in   ${method === 'password' ? 'with a password' : 'elsewhere (OIDC)'}`,
    `  last       ${signedInAt === null ? 'never' : timeText(signedInAt)}, sessions now: ${String(sessions)}`,
  ];
}

function linkLine(
  { kind, name, email, role, userId, expiresAt }: UserLink,
  names: ReadonlyMap<string, string>,
): string {
  const whose = names.get(userId ?? '') ?? name ?? email ?? 'somebody';
  const what = kind === 'password' ? 'link for a new password' : `invitation as ${role ?? ''}`;
  return `${printableLine(whose)}  ${what}, until ${timeText(expiresAt)}`;
}
