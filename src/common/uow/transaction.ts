import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { EntityManager, QueryRunner } from 'typeorm';
import {
  CommitOutcomeUnknownError,
  NoCommitRunningError,
  RemoteCallInCommitError,
  SecondStatementError,
  SwallowedQueryError,
  endsConnection,
  leavesOutcomeOpen,
} from './errors';
import type { Label } from './labels';

declare const txBrand: unique symbol;

/**
 * The inside of one micro-commit. Only UnitOfWork makes one. Code that takes a Tx reads and writes
 * in the caller's transaction and holds no connection of its own.
 */
export interface Tx {
  readonly [txBrand]: true;
  readonly queryRunner: QueryRunner;
  /** For TypeORM entities, in repositories only. Inside `commitOne` it throws SecondStatementError. */
  readonly manager: EntityManager;
  /** Rows of one statement, as PostgreSQL names them. Values are always bound, never spliced. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs `work` once this commit is known to be stored, in the order of registration, when the unit
   * is idle again. It does not run when the commit failed or its outcome is unknown; a commit that
   * is retried starts with an empty list. Work with the same `key` runs once. `work` is synchronous;
   * an error that it throws is logged, and the rest still runs.
   */
  afterCommit(work: () => void, key?: string): void;
}

export type Work<T> = (tx: Tx) => Promise<T>;

/**
 * `transaction`: begin, statements, commit. `statement`: exactly one statement, which PostgreSQL
 * commits by itself.
 */
export type Kind = 'transaction' | 'statement';

/** What one micro-commit does, under its label in metrics and logs. */
export interface Commit<T> {
  readonly kind: Kind;
  readonly label: Label;
  readonly work: Work<T>;
}

/** What the work returned, and what is to run once it is stored. */
export interface CommitResult<T> {
  readonly result: T;
  readonly afterCommit: AfterCommit;
}

/** A runner with the connection of the driver that it holds. */
export interface ConnectedRunner {
  readonly queryRunner: QueryRunner;
  readonly connection: Connection;
}

/**
 * Runs `work` on a connected runner and commits it. It never releases the runner. Throws what the
 * work throws, and CommitOutcomeUnknownError when the connection broke while it was being stored.
 */
export function runAndCommit<T>(
  connected: ConnectedRunner,
  commit: Commit<T>,
): Promise<CommitResult<T>> {
  const { kind, label } = commit;
  return kind === 'statement'
    ? runWork(new CommitTx(connected, commit, onlyOneStatement(label)), commit)
    : runTransaction(connected, commit);
}

async function runTransaction<T>(
  connected: ConnectedRunner,
  commit: Commit<T>,
): Promise<CommitResult<T>> {
  const { queryRunner } = connected;
  await queryRunner.startTransaction();
  const committed = await runWork(new CommitTx(connected, commit, runStatement), commit);
  try {
    await queryRunner.commitTransaction();
  } catch (error) {
    throw classifyLost(error, commit.label, 'the connection broke during COMMIT');
  }
  return committed;
}

async function runWork<T>(tx: CommitTx, { label, work }: Commit<T>): Promise<CommitResult<T>> {
  try {
    const result = await work(tx as unknown as Tx);
    // PostgreSQL responds to COMMIT of a failed transaction with ROLLBACK and no error.
    if (tx.hasFailed) {
      throw new SwallowedQueryError(`the commit "${label}" went on after a failed statement`);
    }
    return { result, afterCommit: tx.registered };
  } finally {
    tx.end();
  }
}

/**
 * The Tx of one try of a commit; `run` sends its statements. It ends with the work: what goes on behind
 * it, such as the other half of a `Promise.race`, would write after ROLLBACK, outside of a transaction.
 */
class CommitTx implements Omit<Tx, typeof txBrand> {
  readonly registered = new AfterCommit();
  /** Whether a statement has failed. */
  hasFailed = false;
  private isOver = false;

  constructor(
    private readonly connected: ConnectedRunner,
    private readonly commit: Pick<Commit<unknown>, 'kind' | 'label'>,
    private readonly run: typeof runStatement,
  ) {}

  get queryRunner(): QueryRunner {
    this.assertRunning();
    return this.connected.queryRunner;
  }

  get manager(): EntityManager {
    const { kind, label } = this.commit;
    if (kind === 'transaction') return this.queryRunner.manager;
    throw new SecondStatementError(`the commit "${label}" of one statement uses entities`);
  }

  async query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    this.assertRunning();
    try {
      return (await this.run(this.connected, text, values)) as Row[];
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }

  afterCommit(work: () => void, key?: string): void {
    this.assertRunning();
    this.registered.add(work, key);
  }

  end(): void {
    this.isOver = true;
  }

  private assertRunning(): void {
    const { label } = this.commit;
    if (this.isOver) throw new NoCommitRunningError(`the commit "${label}" is over`);
  }
}

/** The work that one commit has registered with `tx.afterCommit`. */
export class AfterCommit {
  private readonly work = new Map<string | symbol, () => void>();

  add(work: () => void, key: string | symbol = Symbol('no key')): void {
    if (!this.work.has(key)) this.work.set(key, work);
  }

  run(label: string): void {
    for (const work of this.work.values()) {
      try {
        work();
      } catch (error) {
        logger.error(`work after the commit "${label}" failed; the commit itself is stored`, error);
      }
    }
  }
}

const logger = new Logger('UnitOfWork');

/** Refuses a second statement. One whose connection broke may have been stored. */
function onlyOneStatement(label: string): typeof runStatement {
  let sent = 0;
  return async (...statement) => {
    sent += 1;
    if (sent > 1) {
      throw new SecondStatementError(`the commit "${label}" of one statement has a second one`);
    }
    try {
      return await runStatement(...statement);
    } catch (error) {
      throw classifyLost(error, label, 'the connection broke during a statement');
    }
  };
}

/** A lost connection leaves open whether the commit is stored; errors that do not pass unchanged. */
function classifyLost(error: unknown, label: string, what: string): unknown {
  if (!leavesOutcomeOpen(error)) return error;
  return new CommitOutcomeUnknownError(what, { fields: { commit: label }, cause: error });
}

/** Rolls back after `error`, or ends the connection when it is lost or of no more use. Never throws. */
export async function undo(queryRunner: QueryRunner, error: unknown): Promise<void> {
  const cause = error instanceof CommitOutcomeUnknownError ? error.cause : undefined;
  if (endsConnection(error) || endsConnection(cause)) await endConnection(queryRunner);
  else await rollBack(queryRunner);
}

/**
 * A connection that is lost, or that a statement hangs on, must not return to the pool: the next
 * commit would wait behind that statement.
 */
async function endConnection(queryRunner: QueryRunner): Promise<void> {
  const connected: unknown = await queryRunner.connect().catch(() => null);
  if (typeof connected !== 'object' || connected === null || !('end' in connected)) return;
  const { end } = connected;
  if (typeof end === 'function') Promise.resolve(end.call(connected)).catch(() => undefined);
}

async function rollBack(queryRunner: QueryRunner): Promise<void> {
  if (!queryRunner.isTransactionActive) return;
  try {
    await queryRunner.rollbackTransaction();
  } catch {
    // The connection is gone and the transaction with it; the caller reports the first error.
  }
}

/**
 * Only remembers that this call chain is inside a commit, so that a nested commit or a remote call
 * fails at once instead of exhausting the pool under load. The unit of work itself is always passed
 * as a parameter.
 */
const scope = new AsyncLocalStorage<{
  readonly label: string;
  readonly queryRunner: QueryRunner;
}>();

export function runInCommitScope<T>(
  label: string,
  queryRunner: QueryRunner,
  work: () => Promise<T>,
): Promise<T> {
  return scope.run({ label, queryRunner }, work);
}

/** Whether this call chain is inside the commit that runs on this runner. */
export function isInCommitOf(queryRunner: QueryRunner): boolean {
  return scope.getStore()?.queryRunner === queryRunner;
}

/** The label of the commit that this call chain is inside of, if any. */
export function currentCommitLabel(): string | undefined {
  return scope.getStore()?.label;
}

/** Every client of a peer (model, Telegram, Notion) calls this before it sends a request. */
export function assertOutsideCommit(peer: string): void {
  const label = currentCommitLabel();
  if (label === undefined) return;
  throw new RemoteCallInCommitError(`${peer} was called inside the commit "${label}"`, {
    fields: { peer, commit: label },
  });
}

/** As the driver takes it; one with a name is prepared once for each connection. */
interface Statement {
  name?: string;
  text: string;
  values: readonly unknown[];
}

/** The part of the driver's connection that runs a statement which PostgreSQL has planned before. */
export interface Connection {
  query(statement: Statement): Promise<{ readonly rows: unknown[] }>;
}

/** Our statements are constants, a few hundred; more would mean that SQL texts are built at run time. */
const MOST_NAMES = 2000;
const names = new Map<string, string>();

/**
 * Runs a statement on a runner's connection, prepared by its text: PostgreSQL then parses it once
 * for each connection, and plans it a few times instead of every time. Returns the rows.
 */
async function runStatement(
  { queryRunner, connection }: ConnectedRunner,
  text: string,
  values: readonly unknown[] | undefined,
): Promise<unknown[]> {
  const name = values === undefined ? null : nameOf(text);
  if (values === undefined || name === null) {
    const { records } = await queryRunner.query(text, values as unknown[] | undefined, true);
    return records as unknown[];
  }
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
