import type { Command } from 'commander';
import type { AuditOptions } from './audit';
import type { KeyOptions } from './key';
import { commandGroup, report, reportPrinted, subcommand, withJson } from './subcommand';

/** The subcommands about the keys of programs, and about the audit, which names them. */

export function addKey(program: Command): void {
  const key = commandGroup(program, 'key', 'make, list and revoke API keys of programs', [
    ['create crm --scope interviews:read attention:read', 'shows the key once'],
  ]);
  const load = () => import('./key');
  withJson(
    subcommand(key, 'create <name>', 'make a key; it is shown only once', [
      ['crm --scope interviews:read attention:read', 'for all vacancies, for a year'],
      ['crm --scope interviews:read --vacancy backend-engineer --expires 90d', 'limited'],
    ]),
  )
    .requiredOption('--scope <scope...>', 'what it may do; docs/api.md lists the scopes')
    .option('--vacancy <slug...>', 'the vacancies that it is limited to')
    .option(
      '--expires <when>',
      'days like 90d, or the last day like 2026-12-31; at most a year, which is the default',
    )
    .action((name: string, options: KeyOptions, command: Command) =>
      report(command, 'Writing', async () => (await load()).createKey(name, options)),
    );
  withJson(
    subcommand(key, 'list', 'list the keys with their scopes, ends and last uses', [
      ['', 'the newest first, those that have ended too'],
    ]),
  ).action((_options, command: Command) =>
    report(command, 'Reading', async () => (await load()).listKeys()),
  );
  withJson(
    subcommand(key, 'revoke <key>', 'end a key at once, on every replica', [
      ['crm', 'by its name or its id; its open streams end too'],
    ]),
  ).action((name: string, _options, command: Command) =>
    report(command, 'Writing', async () => (await load()).revokeKey(name)),
  );
}

export function addAudit(program: Command): void {
  const audit = commandGroup(program, 'audit', 'list or export who did what, of whom, and when', [
    ['', 'the latest 100 rows'],
  ]);
  const load = () => import('./audit');
  withFilters(
    withJson(
      subcommand(
        audit,
        'list',
        'list the latest 100 rows, the newest first',
        [
          ['', 'of everybody'],
          ['--actor "key crm" --since 2026-11-01', 'what a program did'],
          ['--subject 019a3c1e-7f00-7000-8000-3b1f6a2c9d10', 'who read one interview'],
        ],
        { isDefault: true },
      ),
    ),
  ).action((options: AuditOptions, command: Command) =>
    report(command, 'Reading', async () => (await load()).listAudit(options)),
  );
  withFilters(
    withJson(
      subcommand(audit, 'export', 'print all rows as one JSON document, the newest first', [
        ['--since 2026-11-01 > audit.json', 'of a month'],
      ]),
    ),
  ).action((options: AuditOptions, command: Command) =>
    reportPrinted(command, 'Exporting', async (stopProgress) =>
      (await load()).exportAudit(options, stopProgress),
    ),
  );
}

function withFilters(command: Command): Command {
  return command
    .option(
      '--actor <name>',
      'whose: "user Ada Lovelace", "key crm", an admin token\'s name, "command line"',
    )
    .option('--action <action>', 'what was done, such as transcript.read')
    .option('--subject <id>', 'of whom: the id of a conversation, candidate, vacancy, key or user')
    .option('--since <day>', 'from this day on (UTC), like 2026-11-01')
    .option('--until <day>', 'before this day (UTC)');
}
