import { Clock } from '../common/clock';
import { COMMAND } from '../common/command-name';
import type { Tx } from '../common/uow';
import { type ApiKey, ApiKeys, KEY_NAME, SCOPES } from '../access';
import { AuditRepository } from '../privacy';
import { slugsOf } from '../vacancies';
import { COMMAND_LINE, type CliContext, withCli } from './cli-context';
import { UsageError } from './failures';
import { expiryOf } from './option-values';
import { type Result, printableLine, timeText } from './output';
import { vacancyIdsOf, vacancySlugs } from './vacancy-names';

export interface KeyOptions {
  readonly scope: readonly string[];
  readonly vacancy?: readonly string[];
  readonly expires?: string;
}

/** Makes a key for a program. The key itself is shown only once. */
export async function createKey(name: string, options: KeyOptions): Promise<Result> {
  if (!KEY_NAME.test(name)) {
    throw new UsageError(
      `"${printableLine(name)}": a key's name has 1 to 63 lower-case letters, digits, dots, hyphens or underscores, and begins with a letter or a digit.`,
    );
  }
  const scopes = scopesOf(options.scope);
  return withCli(async (cli) => {
    const { expires, vacancy = null } = options;
    const expiresAt = expires === undefined ? null : expiryOf(expires, cli.get(Clock).now());
    return cli.commit('key.create', async (tx) => {
      const vacancyIds = vacancy === null ? null : await vacancyIdsOf(cli, tx, vacancy);
      const wanted = { name, scopes, vacancyIds, expiresAt, createdBy: COMMAND_LINE };
      const { key, token } = await cli.get(ApiKeys).create(tx, wanted);
      await note(cli, tx, 'key.create', key);
      const slugs = await vacancySlugs(cli, tx);
      return {
        document: { ...documentOf(key, slugs), token },
        lines: [
          `Key ${key.name}, which is shown only now:`,
          `  ${token}`,
          ...detailLines(key, slugs),
          'A program sends it as a bearer, in the header "authorization: Bearer KEY". To end it:',
          `  ${COMMAND} key revoke ${key.name}`,
        ],
      };
    });
  });
}

export function listKeys(): Promise<Result> {
  return withCli((cli) =>
    cli.commit('key.list', async (tx) => {
      const keys = await cli.get(ApiKeys).list(tx);
      const slugs = await vacancySlugs(cli, tx);
      const lines = keys.flatMap((key) => [
        `${key.name}  ${key.state}  ${key.id}`,
        ...detailLines(key, slugs),
      ]);
      return {
        document: { keys: keys.map((key) => documentOf(key, slugs)) },
        lines: lines.length === 0 ? ['There are no keys yet.'] : lines,
      };
    }),
  );
}

/** No replica lets a request with the key in after this. */
export function revokeKey(nameOrId: string): Promise<Result> {
  return withCli((cli) =>
    cli.commit('key.revoke', async (tx) => {
      const keys = cli.get(ApiKeys);
      const { key, hasChanged } = await keys.revoke(tx, await keys.get(tx, nameOrId));
      if (hasChanged) await note(cli, tx, 'key.revoke', key);
      const since = timeText(key.revokedAt ?? key.createdAt);
      return {
        document: { ...documentOf(key, await vacancySlugs(cli, tx)), hasChanged },
        lines: [
          hasChanged
            ? `Revoked: no request with the key ${key.name} is let in, and its open streams end.`
            : `The key ${key.name} is revoked already, since ${since}.`,
        ],
      };
    }),
  );
}

/** Throws UsageError, which names every scope that there is. */
function scopesOf(given: readonly string[]): string[] {
  const known: ReadonlySet<string> = new Set(SCOPES);
  const unknown = given.find((scope) => !known.has(scope));
  if (unknown === undefined) return [...new Set(given)];
  throw new UsageError(
    `--scope ${printableLine(unknown)}: there is no such scope. Known: ${SCOPES.join(', ')}`,
  );
}

function note(
  cli: CliContext,
  tx: Tx,
  action: 'key.create' | 'key.revoke',
  { id }: ApiKey,
): Promise<void> {
  return cli.get(AuditRepository).note(tx, { actor: COMMAND_LINE, action, subjectId: id });
}

/** The field names of the API. */
function documentOf(key: ApiKey, slugs: ReadonlyMap<string, string>): object {
  const { vacancyIds: _, ...others } = key;
  return { ...others, vacancies: slugsOf(key.vacancyIds, slugs) };
}

function detailLines(key: ApiKey, slugs: ReadonlyMap<string, string>): string[] {
  const { scopes, expiresAt, usedAt, revokedAt } = key;
  return [
    `  scopes     ${scopes.join(', ')}`,
    `  vacancies  ${slugsOf(key.vacancyIds, slugs)?.join(', ') ?? 'all'}`,
    `  ends       ${timeText(expiresAt)}`,
    `  last use   ${usedAt === null ? 'never' : timeText(usedAt)}`,
    ...(revokedAt === null ? [] : [`  revoked    ${timeText(revokedAt)}`]),
  ];
}
