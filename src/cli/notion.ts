import { createInterface } from 'node:readline/promises';
import { COMMAND } from '../common/command-name';
import type { Settings } from '../common/config';
import {
  BoardInspection,
  EnrolmentRepository,
  type EnrolmentState,
  type MissingProperty,
  NotionBoardsModule,
  NotionDoctor,
} from '../notion-sync';
import { InstanceRepository } from '../vacancies';
import { type CliContext, withCli } from './cli-context';
import { EXIT, RefusedInputError, UsageError } from './failures';
import {
  type Result,
  paint,
  print,
  printable,
  printableLine,
  timeText,
  withProgress,
} from './output';

/** Runs `work` where Notion is on. Its calls share the limits of a running application. */
function withNotion<T>(work: (cli: CliContext) => Promise<T>): Promise<T> {
  return withCli(
    (cli) => {
      if (cli.settings.notion.token !== '') return work(cli);
      throw new RefusedInputError(
        'NOTION_TOKEN is not set, so the Notion sync is off. Set it and NOTION_DATA_SOURCE_ID (docs/notion.md).',
      );
    },
    [NotionBoardsModule],
  );
}

/** Examines the token and the boards. */
export function examineNotion(): Promise<Result> {
  return withNotion(async (notion) => {
    const { result, missing } = await examine(notion.get(NotionDoctor));
    if (missing.length === 0) return result;
    const lines = [...result.lines, '', `${COMMAND} notion doctor --fix creates what is missing.`];
    return { ...result, lines };
  });
}

/** The same, and creates each missing property after a question on the terminal. */
export async function fixNotion(options: { readonly isJson: boolean }): Promise<void> {
  if (options.isJson) throw new UsageError('--fix asks questions, so it cannot go with --json.');
  await withNotion(async (notion) => {
    const doctor = notion.get(NotionDoctor);
    const label = 'Examining Notion';
    const { result, missing } = await withProgress(label, () => examine(doctor));
    print(result, false);
    if (await createAfterQuestion(doctor, missing)) {
      const { result: after } = await withProgress(label, () => examine(doctor));
      print({ ...after, lines: ['', ...after.lines] }, false);
    }
  });
}

async function examine(
  doctor: NotionDoctor,
): Promise<{ result: Result; missing: MissingProperty[] }> {
  const findings = await doctor.examine();
  const shown = { ok: paint('green', 'ok   '), note: 'note ', wrong: paint('red', 'WRONG') };
  const isWrong = findings.some(({ kind }) => kind === 'wrong');
  const result: Result = {
    document: { findings: findings.map(({ kind, sentence }) => ({ kind, sentence })) },
    lines: findings.map(({ kind, sentence }) => `${shown[kind]}  ${printable(sentence)}`),
    exitCode: isWrong ? EXIT.doctorFoundProblem : EXIT.done,
  };
  return { result, missing: findings.flatMap((finding) => finding.missing ?? []) };
}

/** Returns whether a property was created. No reply means no. */
async function createAfterQuestion(
  doctor: NotionDoctor,
  missing: readonly MissingProperty[],
): Promise<boolean> {
  if (missing.length === 0) return false;
  const terminal = createInterface({ input: process.stdin });
  const typed = terminal[Symbol.asyncIterator]();
  let isCreated = false;
  try {
    for (const property of missing) {
      process.stdout.write(`\nCreate the property "${property.name}" (${property.type})? [y/N] `);
      const line = await typed.next();
      const said = line.done === true ? '' : line.value;
      if (!/^y(es)?$/i.test(said.trim())) continue;
      await doctor.create(property);
      isCreated = true;
      process.stdout.write(`The property "${property.name}" is created.\n`);
    }
  } finally {
    terminal.close();
  }
  return isCreated;
}

/** What a run would write on one person's board. Writes nothing. */
export async function planBoard(options: { user: string }): Promise<Result> {
  const user = options.user.trim();
  if (user === '') throw new UsageError('--user: expected an id, a name or an e-mail address');
  return withNotion(async (notion) => resultOf(await notion.get(BoardInspection).plan(user)));
}

/** The 32 hexadecimal digits at the end of a page's address, or an id with or without its dashes. */
const PAGE =
  /([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})(?:\?.*)?$/i;

/** Why a task has its rank. */
export async function explainRank(options: { page: string }): Promise<Result> {
  const address = options.page.trim();
  // A page that is opened beside its board is `p` of the board's address.
  const beside = URL.canParse(address) ? new URL(address).searchParams.get('p') : null;
  const found = PAGE.exec(beside ?? address);
  if (found === null) throw new UsageError('--page: expected the id or the address of a page');
  const pageId = found.slice(1).join('-').toLowerCase();
  return withNotion(async (notion) => resultOf(await notion.get(BoardInspection).why(pageId)));
}

function resultOf(document: { readonly lines: readonly string[] }): Result {
  return { document, lines: document.lines.map(printable) };
}

export interface EnrolOptions {
  readonly status?: boolean;
  readonly show?: boolean;
  readonly close?: boolean;
}

/** Takes the webhook's verification token from Notion, or tells whether one is known. */
export async function enrol({ status, show, close }: EnrolOptions): Promise<Result> {
  if (close === true && (status === true || show === true)) {
    throw new UsageError('--close cannot go with --status or --show.');
  }
  return withCli(
    async (cli) => {
      const enrolment = cli.get(EnrolmentRepository);
      if (close === true) await cli.commit('notion.close_enrolment', (tx) => enrolment.close(tx));
      if (status !== true && show !== true && close !== true) return openEnrolment(cli, enrolment);
      const state = await cli.commit('notion.enrolment', (tx) => enrolment.state(tx));
      return stateResult(state, cli.settings, show === true);
    },
    [NotionBoardsModule],
  );
}

async function openEnrolment(cli: CliContext, enrolment: EnrolmentRepository): Promise<Result> {
  const { openUntil, nonce } = await cli.commit('notion.open_enrolment', (tx) =>
    enrolment.open(tx),
  );
  const instance = await cli.commit('instance.find', (tx) => cli.get(InstanceRepository).find(tx));
  const { http } = cli.settings;
  const publicUrl = http.publicUrl === '' ? publicOnly(instance?.publicUrl) : http.publicUrl;
  const address = `${publicUrl}/webhooks/notion?enrol=${nonce}`;
  return {
    document: { address, openUntil },
    lines: [
      `Enrolment is open until ${timeText(openUntil)}, for one token.`,
      '  1. In Notion, open the integration, then Webhooks, and create a subscription for',
      `       ${address}`,
      '     The address works once. Keep it secret, and delete an earlier subscription.',
      `  2. ${COMMAND} notion enrol --show    shows the token that came.`,
      '  3. Enter it in Notion, under Verify. From then on events come in.',
      ...warningsOf(cli.settings),
    ],
  };
}

/** Notion cannot reach a localhost address. */
function publicOnly(url = ''): string {
  const isPublic = url !== '' && !url.startsWith('http://localhost:');
  return isPublic ? url : 'https://<where Notion reaches Colloquy>';
}

function stateResult(state: EnrolmentState, settings: Settings, isShown: boolean): Result {
  const { token, enrolledAt, openUntil } = state;
  const known = token === null ? null : isShown ? printableLine(token) : masked(token);
  const since = enrolledAt === null ? '' : `, enrolled ${timeText(enrolledAt)}`;
  return {
    document: { token: known, enrolledAt, openUntil },
    lines: [
      `Token      ${known ?? 'none'}${since}`,
      `Enrolment  ${openUntil === null ? 'closed' : `open until ${timeText(openUntil)}`}`,
      ...warningsOf(settings),
    ],
  };
}

function warningsOf({ notion, notionSync }: Settings): string[] {
  const isTokenSet = notionSync.webhookToken !== '';
  return [
    ...(isTokenSet
      ? ['NOTION_WEBHOOK_TOKEN is set, so it is used and the enrolled token is not.']
      : []),
    ...(notion.token === '' ? ['NOTION_TOKEN is not set here: without it the sync is off.'] : []),
  ];
}

const SHOWN_CHARS = 4;

/** Its first and last characters are enough to tell two tokens apart. */
function masked(token: string): string {
  if (token.length < 4 * SHOWN_CHARS) return '(hidden)';
  return `${printableLine(token.slice(0, SHOWN_CHARS))}…${printableLine(token.slice(-SHOWN_CHARS))}`;
}
