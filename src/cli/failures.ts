import { COMMAND } from '../common/command-name';
import { ColloquyError } from '../common/errors';
import { EXIT, exitCodeOf } from '../common/exit-codes';

export { EXIT };

/** A failure that the user can fix is explained in one sentence; only a bug shows a stack. */
export async function failureOf(error: unknown): Promise<Failure> {
  if (error instanceof UsageError) return { message: error.message, exitCode: EXIT.wrongUsage };
  if (error instanceof NotFoundError) return { message: error.message, exitCode: EXIT.notFound };
  if (error instanceof RefusedInputError) {
    return { message: error.message, exitCode: EXIT.failed };
  }
  if (error instanceof NoDatabaseError) {
    return { message: error.message, exitCode: EXIT.unreachable };
  }
  // Loaded only here, as what the next function loads: `--help` needs neither zod nor TypeORM.
  const { InvalidSettingsError } = await import('../common/config');
  if (error instanceof InvalidSettingsError) {
    return { message: error.message, exitCode: EXIT.failed };
  }
  const ofDatabase = await databaseFailureOf(error);
  if (ofDatabase !== null) return ofDatabase;
  if (error instanceof ColloquyError) {
    return { message: sentenceOf(error), exitCode: exitCodeOf(error) };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, exitCode: EXIT.failed };
}

interface Failure {
  readonly message: string;
  readonly exitCode: number;
}

const UNDEFINED_TABLE = '42P01';

async function databaseFailureOf(error: unknown): Promise<Failure | null> {
  const { DatabaseReadOnlyError, DatabaseUnavailableError, isConnectionLost, sqlStateOf } =
    await import('../common/uow');
  if (sqlStateOf(error) === UNDEFINED_TABLE) {
    const message = `The database has no tables yet: start Colloquy once with it (${COMMAND} start).`;
    return { message, exitCode: EXIT.failed };
  }
  if (error instanceof DatabaseReadOnlyError) {
    const message =
      'The database takes no writes (it is a standby, or default_transaction_read_only is on): set DATABASE_URL to the primary.';
    return { message, exitCode: EXIT.unreachable };
  }
  if (!(error instanceof DatabaseUnavailableError) && !isConnectionLost(error)) return null;
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = inner instanceof Error ? inner.message : '';
  const reason = text === '' ? (sqlStateOf(inner) ?? 'unknown reason') : text;
  const message = `The database cannot be reached (${reason}): check DATABASE_URL and that PostgreSQL runs.`;
  return { message, exitCode: EXIT.unreachable };
}

/** An error of Notion is also a log line, which names ids in its fields and no remedy. */
function sentenceOf({ code, message, fields }: ColloquyError): string {
  if (code === 'notion_unavailable') return `${message}: check the network and NOTION_API_URL.`;
  const { pageId, dataSourceId } = fields;
  if (code !== 'notion_not_found' || (pageId ?? dataSourceId) === undefined) return message;
  const what =
    pageId === undefined ? `data source ${String(dataSourceId)}` : `page ${String(pageId)}`;
  return `The ${what} is gone, or not shared with the integration: share it in Notion.`;
}

/** The exit codes, as the help shows them. */
export const EXIT_CODES = `
Exit codes:
  0  done
  1  refused or failed; standard error says why; doctor: its report says what is wrong
  2  wrong usage
  3  the database or Notion cannot be reached
  4  not found: what the command was asked for does not exist
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
      `There is no Colloquy database in ${dataDir}. Start Colloquy once (${COMMAND} start), or set COLLOQUY_DATA_DIR to its data folder or DATABASE_URL to its database.`,
    );
  }
}
