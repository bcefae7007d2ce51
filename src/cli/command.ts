import { ColloquyError } from '../common/errors';
import { InvalidSettingsError } from '../common/config';
import { DatabaseUnavailableError, isConnectionLost, sqlStateOf } from '../common/uow';

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
