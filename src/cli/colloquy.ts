#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { COMMAND } from '../common/command-name';
import type { SETTINGS } from '../common/config';
import { VERSION } from '../common/version';
import { EXIT, EXIT_CODES, failureOf } from './failures';
import type { InviteOptions } from './invite';
import { addReplay } from './replay-command';
import { SCORE_REPLAY, addScoring } from '../scoring/cli';
import type { StatsOptions } from './stats';
import { addCandidate, addRetention } from './candidate-commands';
import { addAudit, addKey } from './key-commands';
import { addUser } from './user-commands';
import {
  type JsonOption,
  commandGroup,
  report,
  run,
  subcommand,
  withExamples,
  withJson,
} from './subcommand';

/** Runs the command of these arguments, and sets the exit code of the process. */
export async function runColloquy(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', endQuietly);
  try {
    // Its help lists them; no other command needs zod to say what it takes.
    const settings = argv.includes('start') ? (await import('../common/config')).SETTINGS : [];
    await createProgram(settings).parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed its help or what is wrong.
      process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage;
      return;
    }
    const { message, exitCode } = await failureOf(error);
    process.exitCode = exitCode;
    process.stderr.write(`${message}\n`);
  }
}

/** `colloquy --help | head` closes the pipe early, which is not an error. */
function endQuietly(): never {
  process.exit(EXIT.done);
}

/*
 * The command `colloquy`: what its subcommands are called and what they take. What a subcommand does
 * is loaded when it is called, so that `--help` loads neither the database nor Nest. No subcommand
 * but `start` runs a job, keeps an interval or opens more than one connection.
 */

const MORE = `
"${COMMAND} help COMMAND" shows a command with examples. All of it is in docs/command-line.md.`;

/**
 * All commands with what they take; nothing is loaded or done before one is called. `settings`: what the help of
 * `start` lists.
 */
export function createProgram(settings: typeof SETTINGS | readonly [] = []): Command {
  const program = new Command(COMMAND)
    .description('Interviews job candidates by chat.')
    .version(VERSION, '--version', 'print the release')
    .exitOverride()
    // Failures of our own have no prefix either.
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, ''));
      },
    })
    .addHelpText('afterAll', EXIT_CODES);
  withExamples(program, [
    ['start', 'serve interviews'],
    ['invite backend-engineer --name "Anna K"', 'invite a candidate'],
    ['attention', 'list what needs a person'],
  ]).addHelpText('after', MORE);
  addStart(program, settings);
  addMigrate(program);
  addDoctor(program);
  addVacancy(program);
  addInvite(program);
  addTranscript(program);
  addStats(program);
  addAttention(program);
  addCandidate(program);
  addRetention(program);
  addUser(program);
  addKey(program);
  addAudit(program);
  addReplay(program, [SCORE_REPLAY]);
  addScoring(program);
  addScenarios(program);
  addNotion(program);
  return program;
}

function addDoctor(program: Command): void {
  withJson(
    subcommand(program, 'doctor', 'check the installation and say what to do', [
      ['', 'one line for each check; exit code 1 while something is wrong'],
      ['--json', 'the same for programs'],
    ]),
  ).action((_options, command: Command) =>
    report(command, 'Checking', async () => (await import('./doctor')).doctor()),
  );
}

function addStart(program: Command, described: typeof SETTINGS | readonly []): void {
  const width = Math.max(...described.map(({ variable }) => variable.length));
  const settings = described.map(({ variable, expects, defaultText }) => {
    const byDefault = defaultText === '' ? '' : ` (default ${defaultText})`;
    return `  ${variable.padEnd(width)}  ${expects}${byDefault}`;
  });
  subcommand(program, 'start', 'serve interviews until a signal ends the process', [
    ['', 'on http://localhost:3000 with an embedded PostgreSQL'],
  ])
    .addHelpText(
      'after',
      () =>
        `  PORT=8080 ${COMMAND} start  on another port\n\nSettings are environment variables; docs/configuration.md describes them:\n${settings.join('\n')}\n\nA secret may be in a file instead: DATABASE_URL_FILE=/run/secrets/database-url`,
    )
    .action(async () => {
      // Who serves goes on without a reader of its log.
      process.stdout.off('error', endQuietly);
      const { start } = await import('../bootstrap/start');
      await start();
    });
}

function addMigrate(program: Command): void {
  withJson(
    subcommand(program, 'migrate', 'bring the database of DATABASE_URL up to date', [
      ['', 'before a release; each start does it as well'],
    ]),
  ).action((_options, command: Command) =>
    report(command, 'Migrating', async () => (await import('./migrate')).migrateDatabase()),
  );
}

function addVacancy(program: Command): void {
  const vacancy = commandGroup(program, 'vacancy', 'import, show and close vacancies', [
    ['import examples/backend-engineer.en.yaml', 'one vacancy'],
  ]);
  const load = () => import('./vacancy');
  withJson(
    subcommand(vacancy, 'import <files...>', 'import vacancy files with their documents', [
      ['examples/backend-engineer.en.yaml', 'one vacancy'],
      ['jobs/*.yaml', 'several; none when one of them is wrong'],
    ]),
  ).action((files: string[], _options, command: Command) =>
    report(command, 'Importing', async () => (await load()).importVacancies(files)),
  );
  withJson(subcommand(vacancy, 'list', 'list the vacancies', [['', 'by slug']])).action(
    (_options, command: Command) =>
      report(command, 'Reading', async () => (await load()).listVacancies()),
  );
  withJson(
    subcommand(vacancy, 'show <slug>', 'show a vacancy with its questions and its open link', [
      ['backend-engineer', 'for people'],
      ['backend-engineer --json', 'with rubrics, greeting and closing'],
    ]),
  ).action((slug: string, _options, command: Command) =>
    report(command, 'Reading', async () => (await load()).showVacancy(slug)),
  );
  withJson(
    subcommand(vacancy, 'export <slug>', 'print a vacancy as the YAML that imports to the same', [
      ['backend-engineer > backend-engineer.yaml', 'keep it next to its documents'],
    ]),
  ).action((slug: string, _options, command: Command) =>
    report(command, 'Reading', async () => (await load()).exportVacancy(slug)),
  );
  withJson(
    subcommand(vacancy, 'close <slug>', 'close a vacancy: no new interview begins', [
      ['backend-engineer', 'whoever has agreed before goes on'],
    ]),
  ).action((slug: string, _options, command: Command) =>
    report(command, 'Writing', async () => (await load()).closeVacancy(slug, true)),
  );
  withJson(
    subcommand(vacancy, 'reopen <slug>', 'open a closed vacancy again', [
      ['backend-engineer', 'its links and invitations work again'],
    ]),
  ).action((slug: string, _options, command: Command) =>
    report(command, 'Writing', async () => (await load()).closeVacancy(slug, false)),
  );
}

function addInvite(program: Command): void {
  withJson(
    subcommand(program, 'invite <vacancy>', 'invite a candidate by a link and a PIN, shown once', [
      ['backend-engineer --name "Anna K"', 'a new candidate'],
      ['backend-engineer --telegram @anna_k --expires 7d', 'known by a user name'],
      ['backend-engineer --candidate ID', 'a new link; the old one ends'],
    ]),
  )
    .option('--name <name>', "the candidate's name")
    .option('--telegram <user>', "the candidate's Telegram user name")
    .option(
      '--expires <when>',
      'days like 7d, or the last day like 2026-12-31; at most a year, 14 days by default',
    )
    .option('--candidate <id>', 'whom to invite again, instead of a new candidate')
    .action((vacancy: string, options: InviteOptions, command: Command) =>
      report(command, 'Inviting', async () => (await import('./invite')).invite(vacancy, options)),
    );
}

function addTranscript(program: Command): void {
  withJson(
    subcommand(program, 'transcript [id]', 'list the latest conversations, or show one', [
      ['', 'the latest 20'],
      ['019a3c1e-7f00-7000-8000-3b1f6a2c9d10', 'one conversation, whole'],
    ]),
  ).action((id: string | undefined, _options, command: Command) =>
    report(command, 'Reading', async () => (await import('./transcript')).transcript(id)),
  );
}

function addStats(program: Command): void {
  withJson(
    subcommand(program, 'stats', 'show how long candidates wait and how they answer', [
      ['', 'all answers of the last 90 days, by channel and by hour'],
      ['--vacancy backend-engineer --channel telegram', 'of one vacancy on one channel'],
      ['--days 7 --time-zone Europe/Berlin', 'a week, by the hours of Berlin'],
    ]),
  )
    .option('--vacancy <slug>', 'only answers for this vacancy')
    .option('--channel <name>', 'only answers on this channel, such as web or telegram')
    .option('--days <count>', 'how many days back, 90 by default')
    .option('--time-zone <name>', 'whose hours, UTC by default')
    .action((options: StatsOptions, command: Command) =>
      report(command, 'Counting', async () => (await import('./stats')).stats(options)),
    );
}

function addAttention(program: Command): void {
  const attention = commandGroup(program, 'attention', 'work on what needs a person', [
    ['', 'list what is open'],
    ['replay 17 --by Nora', "do an item's work again"],
  ]);
  const load = () => import('./attention');
  withJson(
    subcommand(
      attention,
      'list',
      'list what needs a person',
      [
        ['', 'what is open'],
        ['--all', 'with what was closed'],
      ],
      { isDefault: true },
    ),
  )
    .option('--all', 'also what was closed')
    .action(({ all }: { all?: true }, command: Command) =>
      report(command, 'Reading', async () =>
        (await load()).listItems({ isWithClosed: all === true }),
      ),
    );
  withJson(subcommand(attention, 'show <id>', 'show one item', [['17', 'the item 17']])).action(
    (id: string, _options, command: Command) =>
      report(command, 'Reading', async () => (await load()).showItem(id)),
  );
  addTakeover(attention);
  withJson(
    subcommand(attention, 'replay <id>', "do the item's work again", [
      ['17 --by Nora', 'a dead job becomes due, a braked board is approved'],
    ]),
  )
    .option('--by <name>', 'who replays it')
    .action((id: string, options: { by?: string }, command: Command) =>
      report(command, 'Replaying', async () => (await load()).replayItem(id, options)),
    );
  withJson(
    subcommand(attention, 'close <id>', 'close an item that somebody dealt with', [
      ['17 --by Nora --reason "called the candidate"', 'with the reason'],
    ]),
  )
    .requiredOption('--by <name>', 'who dealt with it')
    .requiredOption('--reason <text>', 'what was done')
    .action((id: string, options: { by: string; reason: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).closeItem(id, options)),
    );
}

/** What is said to the candidate of an item. */
function addTakeover(attention: Command): void {
  const load = () => import('./attention');
  withJson(
    subcommand(attention, 'reply <id>', 'write to the candidate; the interview pauses', [
      ['17 --text "Does Friday at ten suit you?"', 'as a person of the hiring team'],
    ]),
  )
    .requiredOption('--text <text>', 'what to write, 1 to 4000 characters')
    .option('--message-id <uuid>', 'id for the message: a retry with the same id sends it once')
    .action((id: string, options: { text: string; messageId?: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).replyToItem(id, options)),
    );
  withJson(
    subcommand(attention, 'answer <id>', "answer a candidate's question and close its item", [
      ['17 --by Nora --text "Two days a week are from home."', 'the interview goes on'],
    ]),
  )
    .requiredOption('--by <name>', 'who answers')
    .requiredOption('--text <text>', 'what to write, 1 to 4000 characters')
    .action((id: string, options: { text: string; by: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).answerItem(id, options)),
    );
  withJson(
    subcommand(attention, 'return <id>', 'give the interview back to the interviewer', [
      ['17 --by Nora', 'the interview goes on'],
    ]),
  )
    .requiredOption('--by <name>', 'who returns it')
    .action((id: string, options: { by: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).returnItem(id, options)),
    );
}

function addScenarios(program: Command): void {
  withJson(
    subcommand(program, 'scenarios', 'play the candidates of the scenario bank (in a checkout)', [
      ['', 'without a model, and with a good, a sloppy and a hostile one'],
      ['--model real', 'with the model of OPENAI_API_KEY; prints time and tokens'],
      ['--store', 'also store what each one led to; tests compare with it'],
    ]),
  )
    .option('--model <model>', 'only scripted, good, sloppy, hostile or real')
    .option('--store', 'store the results in tools/scenarios/results.json')
    .action((options: { model?: string; store?: true } & JsonOption, command: Command) =>
      run(command, async () => (await import('./scenarios')).scenarios(options)),
    );
}

function addNotion(program: Command): void {
  const notion = commandGroup(program, 'notion', 'check and explain the Notion boards', [
    ['doctor', 'say what is wrong with the token and the boards'],
  ]);
  const load = () => import('./notion');
  withJson(
    subcommand(notion, 'doctor', 'say what is wrong with the token and the boards', [
      ['', 'exit code 5 while something is wrong'],
      ['--fix', 'also create what is missing, each after a question'],
    ]),
  )
    .option('--fix', 'create missing properties, each after a question')
    .action(({ fix, json }: { fix?: true } & JsonOption, command: Command) =>
      fix === true
        ? run(command, async () => (await load()).fixNotion({ isJson: json === true }))
        : report(command, 'Examining Notion', async () => (await load()).examineNotion()),
    );
  withJson(
    subcommand(notion, 'plan', "say what a run would write on a person's board; write nothing", [
      ['--user "Ada Lovelace"', 'by name, e-mail address or id'],
    ]),
  )
    .requiredOption('--user <user>', 'whose board: an id, a name or an e-mail address')
    .action((options: { user: string }, command: Command) =>
      report(command, 'Reading the board', async () => (await load()).planBoard(options)),
    );
  withJson(
    subcommand(notion, 'why', 'say why a task has its rank', [
      ['--page 1f0c3b2a9d8e4f6a8b7c6d5e4f3a2b1c', "by a page's id or address"],
    ]),
  )
    .requiredOption('--page <page>', 'the id or the address of the page')
    .action((options: { page: string }, command: Command) =>
      report(command, 'Reading the board', async () => (await load()).explainRank(options)),
    );
  withJson(
    subcommand(notion, 'enrol', "take the verification token of Notion's webhook", [
      ['', 'open the enrolment for one token'],
      ['--show', 'show the token that came'],
    ]),
  )
    .option('--status', 'say whether a token is known, and whether one would be accepted')
    .option('--show', 'the same, with the token in full')
    .option('--close', 'stop accepting a token')
    .action((options: { status?: true; show?: true; close?: true }, command: Command) =>
      report(command, 'Enrolling', async () => (await load()).enrol(options)),
    );
}

if (require.main === module) void runColloquy(process.argv.slice(2));
