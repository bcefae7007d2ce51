import { InvalidSettingsError } from '../common/config';
import { ColloquyError } from '../common/errors';

/** The exit codes, which docs/command-line.md promises. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  unreachable: 3,
  notFound: 4,
  doctorFoundProblem: 5,
} as const;

/** The same, as the help shows them. */
export const EXIT_CODES = `
Exit codes:
  0  done
  1  refused or failed; standard error says why; doctor: its report says what is wrong
  2  wrong usage
  3  the database or Notion cannot be reached
  4  not found
  5  notion doctor found something wrong`;

/** The command was called wrongly; the message is one plain sentence. */
export class UsageError extends Error {}

/** What the command was given cannot be used; the message lists every problem. */
export class RefusedInputError extends Error {}

/** What the command was asked for does not exist. */
export class NotFoundError extends Error {}

/** No application has kept its database in this folder. */
export class NoDatabaseError extends Error {
  constructor(dataDir: string) {
    super(
      `There is no Colloquy database in ${dataDir}. Start Colloquy once (colloquy start), or set COLLOQUY_DATA_DIR to its data folder or DATABASE_URL to its database.`,
    );
  }
}

interface Failure {
  readonly message: string;
  readonly exitCode: number;
}

/** By the codes of our errors; every other one of them ends in exit code 1. */
const EXIT_BY_CODE: Readonly<Record<string, number>> = {
  vacancy_unknown: EXIT.notFound,
  candidate_unknown: EXIT.notFound,
  conversation_unknown: EXIT.notFound,
  attention_unknown: EXIT.notFound,
  decision_unknown: EXIT.notFound,
  score_unknown: EXIT.notFound,
  reply_unknown: EXIT.notFound,
  notion_not_found: EXIT.notFound,
  notion_unavailable: EXIT.unreachable,
  notion_paused: EXIT.unreachable,
  EMBEDDED_POSTGRES_UNAVAILABLE: EXIT.unreachable,
};

const UNDEFINED_TABLE = '42P01';

/** A failure that the user can fix is explained in one sentence; only a bug shows a stack. */
export async function failureOf(error: unknown): Promise<Failure> {
  if (error instanceof UsageError) return { message: error.message, exitCode: EXIT.wrongUsage };
  if (error instanceof NotFoundError) return { message: error.message, exitCode: EXIT.notFound };
  if (error instanceof RefusedInputError || error instanceof InvalidSettingsError) {
    return { message: error.message, exitCode: EXIT.failed };
  }
  if (error instanceof NoDatabaseError) {
    return { message: error.message, exitCode: EXIT.unreachable };
  }
  const ofDatabase = await databaseFailureOf(error);
  if (ofDatabase !== null) return ofDatabase;
  if (error instanceof ColloquyError) {
    return { message: error.message, exitCode: EXIT_BY_CODE[error.code] ?? EXIT.failed };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, exitCode: EXIT.failed };
}

async function databaseFailureOf(error: unknown): Promise<Failure | null> {
  // Loaded only here: it loads TypeORM, and `--help` needs none.
  const { DatabaseUnavailableError, isConnectionLost, sqlStateOf } = await import('../common/uow');
  if (sqlStateOf(error) === UNDEFINED_TABLE) {
    const message = 'The database has no tables yet: start Colloquy once with it (colloquy start).';
    return { message, exitCode: EXIT.failed };
  }
  if (!(error instanceof DatabaseUnavailableError) && !isConnectionLost(error)) return null;
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = inner instanceof Error ? inner.message : '';
  const reason = text === '' ? (sqlStateOf(inner) ?? 'unknown reason') : text;
  const message = `The database cannot be reached (${reason}): check DATABASE_URL and that PostgreSQL runs.`;
  return { message, exitCode: EXIT.unreachable };
}
