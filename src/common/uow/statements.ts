import { createHash } from 'node:crypto';
import { type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';

/** A statement as the driver takes it; one with a name is prepared once for each connection. */
interface Statement {
  name?: string;
  text: string;
  values: readonly unknown[];
}

/** The part of the driver's connection that runs a statement which PostgreSQL has planned before. */
interface Connection {
  query(statement: Statement): Promise<{ readonly rows: unknown[] }>;
}

/** Our statements are constants, some hundreds; more would be texts that are put together. */
const MOST_NAMES = 2000;
const names = new Map<string, string>();

/**
 * Runs a statement on a runner's connection, prepared by its text: PostgreSQL then parses it once
 * for each connection, and plans it a few times instead of every time. Returns the rows. Throws
 * QueryRunnerAlreadyReleasedError once the runner has given its connection back: it may be another
 * flow's by then, in the middle of a transaction.
 */
export async function runStatement(
  queryRunner: QueryRunner,
  text: string,
  values: readonly unknown[] | undefined,
): Promise<unknown[]> {
  const name = values === undefined ? null : nameOf(text);
  if (values === undefined || name === null) {
    const { records } = await queryRunner.query(text, values as unknown[] | undefined, true);
    return records as unknown[];
  }
  if (queryRunner.isReleased) throw new QueryRunnerAlreadyReleasedError();
  // Returns the connection that the runner has already.
  const connection = (await queryRunner.connect()) as Connection;
  const { rows } = await connection.query({ name, text, values });
  return rows;
}

/** The statement under a name made from its text, for a connection of the driver. */
export function preparedStatement(
  text: string,
  values: readonly unknown[],
): Statement & { values: unknown[] } {
  const name = nameOf(text);
  return { ...(name === null ? {} : { name }), text, values: [...values] };
}

/** Null: there are too many to keep. */
function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MOST_NAMES) return null;
  const name = `q${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, name);
  return name;
}
