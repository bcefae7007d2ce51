import { Client, Query, type QueryConfig, type QueryResult } from 'pg';

/** How TypeORM's QueryRunner begins and ends a transaction. */
const BEGIN = 'START TRANSACTION';
const ENDS: ReadonlySet<unknown> = new Set(['COMMIT', 'ROLLBACK']);
const NOTHING: QueryResult = { command: '', rowCount: null, oid: 0, rows: [], fields: [] };

type Send = (statement: unknown, ...more: readonly unknown[]) => Promise<QueryResult>;

/**
 * A connection that delays BEGIN until the transaction's first statement and sends both in one
 * group: this saves a round trip for each transaction, and all of them for an empty one
 * (bench/deferred-begin). PostgreSQL skips the rest of a group once a message of it fails, so a statement
 * never runs without its transaction.
 */
export class DeferredBeginClient extends Client {
  private isBeginDue = false;

  /** `never` fits all of the driver's overloads. */
  override query(...given: never[]): never {
    const [statement, ...more] = given as readonly unknown[];
    return this.sendInTurn(super.query.bind(this) as Send, statement, more) as never;
  }

  private sendInTurn(
    send: Send,
    statement: unknown,
    more: readonly unknown[],
  ): Promise<QueryResult> {
    if (statement === BEGIN) {
      this.isBeginDue = true;
      return Promise.resolve(NOTHING);
    }
    if (!this.isBeginDue) return send(statement, ...more);
    this.isBeginDue = false;
    if (ENDS.has(statement)) return Promise.resolve(NOTHING);
    if (isPrepared(statement) && more.length === 0) {
      return new Promise((resolve, reject) => {
        void send(
          new FirstStatement(statement, (error, result) => {
            if (error) reject(error);
            else resolve(result);
          }),
        );
      });
    }
    // A text without values may hold several statements, and those cannot be sent in a group.
    return send(BEGIN).then(() => send(statement, ...more));
  }
}

function isPrepared(statement: unknown): statement is QueryConfig {
  return typeof statement === 'object' && statement !== null && 'name' in statement;
}

/** Members of the driver's connection and query that its types leave out. */
interface Connection {
  /** Statements, by name, that were sent for parsing and have no response yet. */
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { text: string }): void;
  bind(portal: object): void;
  execute(portal: object): void;
}
interface Driver {
  name: string | undefined;
  submit(): void;
  prepare(connection: Connection): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleError(error: unknown, connection: Connection): void;
}
type Callback = (error: Error | null, result: QueryResult) => void;
const DriverQuery = Query as unknown as new (statement: QueryConfig, callback: Callback) => Driver;

/** A statement that sends the messages of BEGIN before its own. Its result is that of the statement. */
class FirstStatement extends DriverQuery {
  private hasBegun = false;
  private preparedAs: string | undefined;

  override prepare(connection: Connection): void {
    connection.parse({ text: BEGIN });
    connection.bind({});
    connection.execute({});
    super.prepare(connection);
    // The next ParseComplete is that of BEGIN, and the driver would assign it to this statement.
    this.preparedAs = this.name;
    this.name = undefined;
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.hasBegun) {
      super.handleCommandComplete(message, connection);
      return;
    }
    this.hasBegun = true;
    this.name = this.preparedAs;
  }

  override handleError(error: unknown, connection: Connection): void {
    // BEGIN has failed: the statement was not prepared either.
    const { hasBegun, preparedAs } = this;
    if (!hasBegun && preparedAs !== undefined) {
      connection.submittedNamedStatements[preparedAs] = undefined;
    }
    super.handleError(error, connection);
  }
}
