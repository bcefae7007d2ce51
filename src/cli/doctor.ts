import { Logger } from '@nestjs/common';
import { access } from 'node:fs/promises';
import { COMMAND } from '../common/command-name';
import { SystemClock } from '../common/clock';
import { InvalidSettingsError, Settings, settingWarnings } from '../common/config';
import { ColloquyError, describeError } from '../common/errors';
import { type CheckOutcome, ok, problem, warning } from '../common/check-outcome';
import { examineSignOn } from '../access';
import { examineAddress, examineCaFiles } from '../health';
import { examineReply } from '../interview';
import { examineServer, replyServers } from '../llm';
import { type CheckResult, NotionBoardsModule, NotionDoctor } from '../notion-sync';
import {
  inspectSchema,
  inspectServer,
  OldSchemaError,
  type SchemaState,
  type ServerInspection,
} from '../persistence';
import { diskOutcome } from '../persistence/embedded';
import { type CliContext, type CliDatabase, openDatabase, withCliOn } from './cli-context';
import { examineZones } from './doctor-zones';
import { EXIT, NoDatabaseError } from './failures';
import { type Result, paint, printableLine } from './output';

/** What is checked, in the order of the report. */
const AREAS = [
  'settings',
  'database',
  'migrations',
  'clock',
  'disk',
  'model',
  'telegram',
  'notion',
  'sign-on',
  'address',
  'certificates',
] as const;
type Area = (typeof AREAS)[number];

type Report = Partial<Record<Area, readonly CheckOutcome[]>>;

const clock = new SystemClock();

/**
 * Checks the installation and says what to do. It changes nothing, also while the application runs.
 * Each check that fails becomes a line, so one outage hides no other.
 */
export async function doctor(): Promise<Result> {
  // What clients log about the peers is in the report.
  Logger.overrideLogger(['error']);
  const report = await examine();
  const outcomes = AREAS.flatMap((area) =>
    (report[area] ?? []).map((outcome) => ({ area, ...outcome })),
  );
  const problems = outcomes.filter(({ kind }) => kind === 'problem').length;
  const warnings = outcomes.filter(({ kind }) => kind === 'warning').length;
  return {
    document: { isWell: problems === 0, findings: outcomes },
    lines: [...outcomes.map(lineOf), '', `Problems: ${problems}, warnings: ${warnings}.`],
    exitCode: problems > 0 ? EXIT.failed : EXIT.done,
  };
}

const SHOWN = {
  ok: ['green', 'ok'],
  warning: ['yellow', 'warning'],
  problem: ['red', 'PROBLEM'],
} as const;
const KIND_WIDTH = 9;
const AREA_WIDTH = Math.max(...AREAS.map((area) => area.length)) + 2;

function lineOf({ area, kind, sentence }: CheckOutcome & { readonly area: Area }): string {
  const [colour, word] = SHOWN[kind];
  return `${paint(colour, word.padEnd(KIND_WIDTH))}${area.padEnd(AREA_WIDTH)}${printableLine(sentence)}`;
}

async function examine(): Promise<Report> {
  let settings: Settings;
  try {
    settings = Settings.fromEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof InvalidSettingsError)) throw error;
    const rest = warning('Nothing else was checked, because it depends on the settings.');
    return { settings: [...error.problems.map(problem), rest] };
  }
  const { http } = settings;
  const warnings = settingWarnings(settings);
  const address = await examineAddress(http.publicUrl, clock);
  const cas = await checked(() => examineCaFiles(settings, clock.now()));
  return {
    settings: warnings.length > 0 ? warnings : [ok('All settings can be used together.')],
    model: await checked(() => examineModels(settings)),
    'sign-on': await checked(() => examineSignOn(settings, clock)),
    address: address.address,
    certificates:
      address.certificate.length + cas.length > 0
        ? [...address.certificate, ...cas]
        : [ok('No certificate is configured here.')],
    ...(await examineDatabase(settings)),
  };
}

/** Each server that may reply; one that lists its models and is not usable gets no request. */
async function examineModels(settings: Settings): Promise<CheckOutcome[]> {
  const servers = replyServers(settings);
  if (servers.length === 0) {
    return [ok('OPENAI_API_KEY is not set: the scripted interviewer asks the questions.')];
  }
  const outcomes: CheckOutcome[] = [];
  for (const server of servers) {
    const [ofReplies, ...others] = await examineServer(server, settings, clock);
    if (ofReplies === undefined) continue;
    const replies = ofReplies.kind === 'problem' ? [] : await examineReply(server, settings, clock);
    outcomes.push(ofReplies, ...replies, ...others);
  }
  return outcomes;
}

/** A ColloquyError is reported by its message; any other error without its text, which may quote data. */
async function checked(check: () => Promise<CheckOutcome[]>): Promise<CheckOutcome[]> {
  try {
    return await check();
  } catch (error) {
    return [problem(sentenceOf(error))];
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof ColloquyError) return error.message;
  return `This could not be checked (${describeError(error)}): try again, and report it if it stays.`;
}

/** The database, and what can only be checked with it. */
async function examineDatabase(settings: Settings): Promise<Report> {
  const folder = settings.database.dataDir;
  const disk = [await diskOutcome(folder, 'The disk of COLLOQUY_DATA_DIR')];
  const unchecked = [warning('Not checked, because it needs the database.')];
  const notionUnchecked = settings.notion.token === '' ? NOTION_OFF : unchecked;
  const unusable = async (outcome: CheckOutcome): Promise<Report> => ({
    database: [outcome],
    migrations: unchecked,
    clock: unchecked,
    disk,
    telegram: await checked(() => examineTelegram(settings, null)),
    notion: notionUnchecked,
  });
  let database: CliDatabase;
  try {
    database = await openDatabase(settings, { migrates: false });
  } catch (error) {
    const isNew = error instanceof NoDatabaseError;
    return unusable(isNew ? warning(error.message) : problem(sentenceOf(error)));
  }
  let server: ServerInspection;
  let schema: SchemaState;
  try {
    server = await inspectServer(database.url, settings.database, clock);
    schema = await inspectSchema(database.url);
  } catch (error) {
    await database.release();
    return unusable(problem(sentenceOf(error)));
  }
  return withCliOn(
    settings,
    database,
    async (cli) => {
      const isMigrated = schema.missing.length === 0;
      return {
        database: [...server.server, ...server.hints],
        migrations: [schemaOutcome(schema)],
        clock: [server.time, ...(isMigrated ? await checked(() => examineZones(cli)) : [])],
        disk: [...disk, ...(await serverDisk(settings, database.url, server.dataDirectory))],
        telegram: await checked(() => examineTelegram(settings, isMigrated ? cli : null)),
        notion: isMigrated ? await checked(() => examineNotion(cli)) : notionUnchecked,
      };
    },
    [NotionBoardsModule],
  );
}

function schemaOutcome({ missing, newer, isOld }: SchemaState): CheckOutcome {
  if (isOld) return problem(new OldSchemaError().message);
  if (newer.length > 0) {
    return problem(
      `The database was migrated by a newer version (${newer.join(', ')}): start that version, or restore a backup from before it.`,
    );
  }
  if (missing.length === 0) return ok('The database has all migrations of this version.');
  return warning(
    `The database lacks ${missing.length} migration${missing.length === 1 ? '' : 's'} of this version: start Colloquy, which migrates it first.`,
  );
}

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]', '']);

/** SQL cannot tell how full the disk is, so it is read when the server runs on this machine. */
async function serverDisk(
  { database }: Settings,
  url: string,
  dataDirectory: string | null,
): Promise<CheckOutcome[]> {
  // The embedded one is in the data folder, which is checked already.
  if (database.url === null) return [];
  const isHere =
    dataDirectory !== null &&
    LOCAL.has(new URL(url).hostname) &&
    (await access(dataDirectory).then(
      () => true,
      () => false,
    ));
  if (isHere) return [await diskOutcome(dataDirectory, 'The disk of PostgreSQL')];
  return [ok("PostgreSQL's disk cannot be read from here: its own monitoring has to watch it.")];
}

/** Without a usable database, the check for other bots is skipped. */
async function examineTelegram(
  settings: Settings,
  cli: CliContext | null,
): Promise<CheckOutcome[]> {
  // Loaded only here: it loads the library of the Bot API.
  const { BotIdentity, TelegramAccountRepository, examineBot } =
    await import('../channels/telegram');
  if (cli === null || settings.telegram.token === '') return examineBot(settings, clock, []);
  const accounts = cli.get(TelegramAccountRepository);
  const { botId } = new BotIdentity(settings);
  const others = await cli.commit('doctor.bots', (tx) => accounts.listOtherBots(tx, botId));
  return examineBot(settings, clock, others);
}

const NOTION_OFF = [ok('NOTION_TOKEN is not set, so the Notion sync is off.')];
const KINDS = { ok: 'ok', note: 'warning', wrong: 'problem' } as const;

async function examineNotion(cli: CliContext): Promise<CheckOutcome[]> {
  if (cli.settings.notion.token === '') return NOTION_OFF;
  const results = await cli.get(NotionDoctor).examine();
  return results.map(outcomeOf);
}

function outcomeOf({ kind, sentence, missing }: CheckResult): CheckOutcome {
  const advice =
    missing === undefined ? '' : ` "${COMMAND} notion doctor --fix" creates it after a question.`;
  return { kind: KINDS[kind], sentence: `${sentence}${advice}` };
}
