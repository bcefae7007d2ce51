import type { Command } from 'commander';
import { commandGroup, report, subcommand, withJson } from './subcommand';
import type { UserOptions } from './user';

/** The subcommands about the people of the team, who sign in to the console. */
export function addUser(program: Command): void {
  const user = commandGroup(
    program,
    'user',
    'invite colleagues to the console, and shut them out',
    [['create --role admin', 'shows a link for the first admin once']],
  );
  const load = () => import('./user');
  withJson(
    subcommand(user, 'create', 'invite a colleague by a link that works once, for 7 days', [
      ['--role admin', 'whoever opens the link says who they are'],
      ['--role interviewer --vacancy backend-engineer --name "Nora Lindqvist"', 'limited'],
    ]),
  )
    .requiredOption('--role <role>', 'admin, recruiter, interviewer or viewer')
    .option('--name <name>', 'who it is; whoever opens the link may change it')
    .option('--email <address>', 'with which the person signs in; they may change it')
    .option('--vacancy <slug...>', 'what an interviewer or a viewer is limited to')
    .action((options: UserOptions, command: Command) =>
      report(command, 'Writing', async () => (await load()).createUser(options)),
    );
  withJson(
    subcommand(user, 'list', 'list the users with their roles, and the links that still work', [
      ['', 'by name, those who are disabled too'],
    ]),
  ).action((_options, command: Command) =>
    report(command, 'Reading', async () => (await load()).listUsers()),
  );
  withJson(
    subcommand(user, 'disable <user>', 'shut a user out at once, on every replica', [
      ['nora@example.org', 'by the address or the name; all sessions end'],
    ]),
  ).action((key: string, _options, command: Command) =>
    report(command, 'Writing', async () => (await load()).setDisabled(key, true)),
  );
  withJson(
    subcommand(user, 'enable <user>', 'let a disabled user in again', [
      ['nora@example.org', 'with the password and the role of before'],
    ]),
  ).action((key: string, _options, command: Command) =>
    report(command, 'Writing', async () => (await load()).setDisabled(key, false)),
  );
  withJson(
    subcommand(user, 'password-link <user>', 'make a link for a new password, for a day', [
      ['nora@example.org', 'for somebody who has forgotten it'],
    ]),
  ).action((key: string, _options, command: Command) =>
    report(command, 'Writing', async () => (await load()).passwordLink(key)),
  );
  withJson(
    subcommand(user, 'end-sessions <user>', 'sign a user out everywhere, at once', [
      ['nora@example.org', 'when a computer was lost'],
    ]),
  ).action((key: string, _options, command: Command) =>
    report(command, 'Writing', async () => (await load()).endSessions(key)),
  );
}
