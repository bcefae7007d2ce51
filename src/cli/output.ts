import { ColloquyError } from '../common/errors';
import { InvalidSettingsError } from '../common/config';
import { DatabaseUnavailableError, isConnectionLost, sqlStateOf } from '../common/uow';

/** Control characters but tab and newline: a candidate's text must not command a terminal. */
// oxlint-disable-next-line no-control-regex
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Of those, the ones that JSON leaves as they are. */
const JSON_COMMANDS = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text that is safe to write to a terminal. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(COMMANDS, '\uFFFD');
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** E.g. `2026-03-02 09:00 UTC`. */
export function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** JSON text, or a piece of it, safe for a terminal: what could command it is escaped. */
export function printableJson(json: string): string {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(JSON_COMMANDS, escaped);
}

/** Who did it, where the audit asks: a command knows nobody's name. */
export const COMMAND_LINE = 'command line';

/** The command was called wrongly; the message is one plain sentence. */
export class UsageError extends Error {}

/** What the command was given cannot be used; the message says all of it. */
export class RefusedInputError extends Error {}

const UNKNOWN_TABLE = '42P01';

/**
 * Runs a command to its end. What the user can mend is said in one sentence and ends in exit code
 * 1; only a bug shows a stack. The process ends by itself once everything is closed.
 */
export async function runCommand(usage: string, command: () => Promise<void>): Promise<void> {
  // `npm run transcript -- … | head` closes the pipe early: that is not an error.
  process.stdout.on('error', () => process.exit(0));
  try {
    await command();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${complaint(error, usage)}\n`);
  }
}

function complaint(error: unknown, usage: string): string {
  if (error instanceof UsageError) return `${error.message}\n\nUsage: ${usage}`;
  if (error instanceof RefusedInputError) return error.message;
  if (isArgumentError(error)) return `${firstSentence(error.message)}.\n\nUsage: ${usage}`;
  if (sqlStateOf(error) === UNKNOWN_TABLE) {
    return 'The database has no tables yet: start Colloquy once with it (npm start).';
  }
  if (error instanceof DatabaseUnavailableError || isConnectionLost(error)) {
    return `The database cannot be reached: ${causeOf(error)}.`;
  }
  if (error instanceof InvalidSettingsError || error instanceof ColloquyError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** What util.parseArgs throws. */
function isArgumentError(error: unknown): error is Error {
  if (!(error instanceof TypeError) || !('code' in error)) return false;
  return String(error.code).startsWith('ERR_PARSE_ARGS_');
}

function firstSentence(text: string): string {
  return text.split(/[.\n]/, 1)[0] ?? text;
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const inner = error.cause instanceof Error ? error.cause : error;
  const code = sqlStateOf(inner);
  return inner.message === '' ? (code ?? 'unknown reason') : inner.message;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The value of `--candidate`. */
export function candidateOf(value: string | undefined): string {
  if (value === undefined) throw new UsageError('Say whom: --candidate ID.');
  if (UUID.test(value)) return value;
  throw new UsageError(`--candidate ${value}: expected the id that invite printed`);
}

const DAY_MS = 24 * 3_600_000;
const MAX_DAYS = 365;
const DAYS = /^(\d{1,3})d$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * When an invitation ends: `7d` from `now`, or `2026-12-31`, that day (UTC) included.
 * Throws UsageError for anything else, for the past, and for more than a year.
 */
export function expiryOf(text: string, now: Date): Date {
  const at = daysFrom(text, now) ?? endOfDay(text, now);
  if (at !== null) return at;
  throw new UsageError(
    `--expires ${text}: expected days from 1d to ${String(MAX_DAYS)}d, or a coming date like 2026-12-31 within a year`,
  );
}

function daysFrom(text: string, now: Date): Date | null {
  const days = Number(DAYS.exec(text)?.[1] ?? 0);
  return days < 1 || days > MAX_DAYS ? null : new Date(now.getTime() + days * DAY_MS);
}

function endOfDay(text: string, now: Date): Date | null {
  if (!DATE.test(text)) return null;
  const start = new Date(`${text}T00:00:00Z`);
  // A 31st of February is read as a day in March.
  const isReal = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(text);
  const end = start.getTime() + DAY_MS;
  const isInReach = end > now.getTime() && start.getTime() <= now.getTime() + MAX_DAYS * DAY_MS;
  return isReal && isInReach ? new Date(end) : null;
}
