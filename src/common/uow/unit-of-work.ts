import type { DataSource, QueryRunner } from 'typeorm';
import type { Clock } from '../clock';
import { currentCommitLabel, runInCommitScope } from './commit-scope';
import {
  CommitOutcomeUnknownError,
  DatabaseUnavailableError,
  SecondStatementError,
  SwallowedQueryError,
  UnitOfWorkBusyError,
  UnitOfWorkClosedError,
  classifyAfterRetries,
  classifyBeforeCommit,
  classifyConnecting,
  isConnectionLost,
  isRetryableSqlState,
} from './errors';
import { runStatement } from './statements';
import type { Tx } from './tx';
import type { UnitOfWorkMetrics } from './uow.metrics';

type Work<T> = (tx: Tx) => Promise<T>;

/** Whether PostgreSQL is asked for a transaction, or commits the only statement by itself. */
type Kind = 'transaction' | 'statement';

/** What a try's work answered, and who wants to hear that it is stored. */
interface Worked<T> {
  readonly result: T;
  readonly listeners: readonly (() => void)[];
}

/**
 * The database side of one flow: one stream, one request, one flush, one delivery.
 *
 *   idle ──commit()──> committing ──COMMIT or ROLLBACK──> idle
 *   idle ──close()──> closed
 *   committing ──close()──> closing ──COMMIT or ROLLBACK──> closed
 *
 * While idle it holds no connection: a QueryRunner exists only between begin and commit, so a flow
 * that waits for a model for a minute costs the pool nothing. It never nests and never overlaps.
 */
export class UnitOfWork {
  private state: 'idle' | 'committing' | 'closing' | 'closed' = 'idle';
  private commits = 0;

  constructor(
    readonly label: string,
    private readonly deps: {
      dataSource: DataSource;
      clock: Clock;
      metrics: UnitOfWorkMetrics;
      random: () => number;
      onClosed: () => void;
    },
  ) {}

  /**
   * One micro-commit: begins, runs `work`, commits, releases. `work` may run again after a lost
   * connection or a deadlock (nothing is stored then), so it changes nothing but the database.
   * `label` names the commit in metrics and logs, e.g. `buffer.append`.
   */
  commit<T>(label: string, work: Work<T>): Promise<T> {
    return this.commitAs('transaction', label, work);
  }

  /**
   * The same for work of exactly one statement, in one round trip instead of three: PostgreSQL
   * commits a statement outside a transaction by itself. Only for a read, or a statement that does
   * no harm when it is stored twice: a connection that is lost leaves open whether it was stored,
   * and it runs again. What `work` throws after its statement undoes nothing. A second statement
   * throws SecondStatementError and is not sent.
   */
  commitOne<T>(label: string, work: Work<T>): Promise<T> {
    return this.commitAs('statement', label, work);
  }

  /** Ends the unit, after the commit under way if there is one; idempotent. */
  close(): void {
    if (this.state === 'closed' || this.state === 'closing') return;
    if (this.state === 'committing') {
      this.state = 'closing';
      return;
    }
    this.state = 'closed';
    this.deps.metrics.closed(this.label, this.commits);
    this.deps.onClosed();
  }

  private async commitAs<T>(kind: Kind, label: string, work: Work<T>): Promise<T> {
    this.assertFree(label);
    this.state = 'committing';
    this.commits += 1;
    const startedMs = this.deps.clock.monotonicMs();
    let worked: Worked<T>;
    try {
      worked = await this.commitWithRetries(kind, label, work);
      this.deps.metrics.committed(label, this.deps.clock.monotonicMs() - startedMs);
    } catch (error) {
      this.deps.metrics.rolledBack(label, this.deps.clock.monotonicMs() - startedMs);
      throw error;
    } finally {
      this.settle();
    }
    for (const tell of worked.listeners) tell();
    return worked.result;
  }

  private settle(): void {
    const isClosing = this.state === 'closing';
    this.state = 'idle';
    if (isClosing) this.close();
  }

  private assertFree(label: string): void {
    const outer = currentCommitLabel();
    if (outer !== undefined) {
      throw new UnitOfWorkBusyError(`commit "${label}" was started inside the commit "${outer}"`);
    }
    if (this.state === 'closed' || this.state === 'closing') {
      throw new UnitOfWorkClosedError(`commit "${label}" on the closed unit "${this.label}"`);
    }
    if (this.state === 'committing') {
      throw new UnitOfWorkBusyError(`commit "${label}" overlaps another of unit "${this.label}"`);
    }
  }

  private async commitWithRetries<T>(kind: Kind, label: string, work: Work<T>): Promise<Worked<T>> {
    let unknown: CommitOutcomeUnknownError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.commitOnce(kind, label, work);
      } catch (error) {
        this.deps.metrics.tryFailed(label, error);
        if (!mayRunAgain(kind, error)) throw classifyAfterRetries(error, label);
        if (error instanceof CommitOutcomeUnknownError) unknown = error;
        // What an earlier try may have stored, a later failure does not undo.
        if (attempt === MAX_ATTEMPTS) throw unknown ?? classifyAfterRetries(error, label);
        await this.deps.clock.sleep(backoffMs(attempt, this.deps.random()));
      }
    }
  }

  private async commitOnce<T>(kind: Kind, label: string, work: Work<T>): Promise<Worked<T>> {
    const queryRunner = this.deps.dataSource.createQueryRunner();
    const askedMs = this.deps.clock.monotonicMs();
    try {
      try {
        await queryRunner.connect();
      } catch (error) {
        throw classifyConnecting(error, label);
      }
      this.deps.metrics.connected(this.deps.clock.monotonicMs() - askedMs);
      const run = kind === 'transaction' ? runWork : runStatementWork;
      const worked = await runInCommitScope(label, () => run(queryRunner, label, work));
      if (kind === 'transaction') await commitTransaction(queryRunner, label);
      return worked;
    } catch (error) {
      if (isConnectionLost(error) || isConnectionLost(causeOf(error))) await cut(queryRunner);
      else await rollBack(queryRunner);
      throw classifyBeforeCommit(error, label);
    } finally {
      await queryRunner.release();
    }
  }
}

const MAX_ATTEMPTS = 3;

/** 50 ms, then 100 ms, each with up to as much again of jitter. */
function backoffMs(attempt: number, chance: number): number {
  return 50 * 2 ** (attempt - 1) * (1 + chance);
}

function mayRunAgain(kind: Kind, error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError || isRetryableSqlState(error)) return true;
  return kind === 'statement' && error instanceof CommitOutcomeUnknownError;
}

async function runWork<T>(
  queryRunner: QueryRunner,
  label: string,
  work: Work<T>,
): Promise<Worked<T>> {
  await queryRunner.startTransaction();
  return runOn(queryRunner, { label, work, run: runStatement });
}

/** Without a transaction: a statement whose connection broke may have been stored. */
function runStatementWork<T>(
  queryRunner: QueryRunner,
  label: string,
  work: Work<T>,
): Promise<Worked<T>> {
  let sent = 0;
  const run: typeof runStatement = async (...statement) => {
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
  return runOn(queryRunner, { label, work, run });
}

async function runOn<T>(
  queryRunner: QueryRunner,
  { label, work, run }: { label: string; work: Work<T>; run: typeof runStatement },
): Promise<Worked<T>> {
  const statements = { anyFailed: false };
  const listeners: (() => void)[] = [];
  const tx = {
    queryRunner,
    async query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
      try {
        return (await run(queryRunner, text, values)) as Row[];
      } catch (error) {
        statements.anyFailed = true;
        throw error;
      }
    },
    onCommitted: (tell: () => void): void => void listeners.push(tell),
  } as Tx;
  const result = await work(tx);
  // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error.
  if (statements.anyFailed) {
    throw new SwallowedQueryError(`a failed statement was swallowed in the commit "${label}"`);
  }
  return { result, listeners };
}

async function commitTransaction(queryRunner: QueryRunner, label: string): Promise<void> {
  try {
    await queryRunner.commitTransaction();
  } catch (error) {
    throw classifyLost(error, label, 'the connection broke during COMMIT');
  }
}

/** Nobody can say whether it is stored; any other error passes through unchanged. */
function classifyLost(error: unknown, label: string, what: string): unknown {
  if (!isConnectionLost(error)) return error;
  return new CommitOutcomeUnknownError(what, { fields: { commit: label }, cause: error });
}

function causeOf(error: unknown): unknown {
  return error instanceof CommitOutcomeUnknownError ? error.cause : undefined;
}

/**
 * Ends a connection that is lost, or that a statement hangs on: returned to the pool, it would keep
 * the next commit waiting behind that statement.
 */
async function cut(queryRunner: QueryRunner): Promise<void> {
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
    // The connection is gone, and the transaction with it; the first error is the one to tell.
  }
}
