import type { DataSource, QueryRunner } from 'typeorm';
import type { Clock } from '../clock';
import { ColloquyError } from '../errors';
import { step } from '../tracing';
import {
  CommitOutcomeUnknownError,
  DatabaseUnavailableError,
  NoCommitRunningError,
  UnitOfWorkBusyError,
  UnitOfWorkClosedError,
  WriteConflictError,
  classifyAfterRetries,
  classifyBeforeCommit,
  classifyConnecting,
  isRetryableSqlState,
  isStalePlan,
} from './errors';
import type { Semaphore } from './semaphore';
import {
  type Commit,
  type CommitResult,
  type Connection,
  type Kind,
  type Work,
  currentCommitLabel,
  isInCommitOf,
  runAndCommit,
  runInCommitScope,
  undo,
} from './transaction';
import type { UnitOfWorkMetrics } from './uow.metrics';
import type { Label } from './labels';

/**
 * The database side of one flow: one HTTP request, one SSE stream, one job, one delivery.
 *
 *   idle ──commit()──> committing ──COMMIT or ROLLBACK──> idle
 *   idle ──close()──> closed
 *   committing ──close()──> closing ──COMMIT or ROLLBACK──> closed
 *
 * It exposes one TypeORM QueryRunner at a time (`queryRunner`), and only between begin and commit.
 * While idle it holds no connection, so a flow that waits a minute for the model costs the pool
 * nothing. Commits of one unit never nest and never overlap.
 */
export class UnitOfWork {
  private state: 'idle' | 'committing' | 'closing' | 'closed' = 'idle';
  private commits = 0;
  private runner: QueryRunner | null = null;

  constructor(
    readonly label: Label,
    private readonly deps: {
      dataSource: DataSource;
      /** Bounds how many units of this kind hold a connection at a time; null: only the pool does. */
      connections: Semaphore | null;
      clock: Clock;
      metrics: UnitOfWorkMetrics;
      random: () => number;
    },
  ) {}

  /** Whether a commit can begin now: the unit is open, and no commit of it is running. */
  get isIdle(): boolean {
    return this.state === 'idle';
  }

  /**
   * The QueryRunner of the commit that is running: the same as `tx.queryRunner`. Throws
   * NoCommitRunningError before, between and after commits, when the unit holds none, and for code
   * that runs at the same time but does not belong to the commit.
   */
  get queryRunner(): QueryRunner {
    if (this.runner === null || !isInCommitOf(this.runner)) {
      throw new NoCommitRunningError(
        `the unit "${this.label}" has a QueryRunner only inside a commit`,
      );
    }
    return this.runner;
  }

  /**
   * One micro-commit: begins, runs `work`, commits, releases. `work` may run again after a lost
   * connection, a deadlock or a write conflict (nothing is stored then), so it changes nothing but
   * the database. `label` names the commit in metrics and logs, e.g. `buffer.append`.
   */
  commit<T>(label: Label, work: Work<T>): Promise<T> {
    return this.commitAs('transaction', label, work);
  }

  /**
   * The same for work of exactly one statement, in one round trip instead of three: PostgreSQL
   * commits a statement outside a transaction by itself. Only for a read, or a statement that does
   * no harm when it is stored twice: after a lost connection it is unknown whether it was stored,
   * and it runs again. An error that `work` throws after its statement undoes nothing. A second
   * statement throws SecondStatementError and is not sent.
   */
  commitOne<T>(label: Label, work: Work<T>): Promise<T> {
    return this.commitAs('statement', label, work);
  }

  /**
   * As commit, for work that must not be lost while the database cannot be reached: a retryable
   * failure is tried again every 200 ms until `signal` aborts, then its reason is thrown. An aborted
   * signal does not prevent the first try. After CommitOutcomeUnknownError the work runs again, so
   * it has to recognise what an earlier try stored.
   */
  async commitUntilStored<T>(
    label: Label,
    signal: AbortSignal,
    work: Work<T>,
    kind: Kind = 'transaction',
  ): Promise<T> {
    for (;;) {
      try {
        return await (kind === 'transaction'
          ? this.commit(label, work)
          : this.commitOne(label, work));
      } catch (error) {
        if (!(error instanceof ColloquyError && error.retryable)) throw error;
        await this.deps.clock.sleep(UNTIL_STORED_RETRY_MS, signal);
        signal.throwIfAborted();
      }
    }
  }

  /** Ends the unit, after its running commit if there is one. Idempotent. */
  close(): void {
    if (this.state === 'closed' || this.state === 'closing') return;
    if (this.state === 'committing') {
      this.state = 'closing';
      return;
    }
    this.state = 'closed';
    this.deps.metrics.closed(this.label, this.commits);
  }

  private async commitAs<T>(kind: Kind, label: Label, work: Work<T>): Promise<T> {
    this.assertIdle(label);
    this.state = 'committing';
    this.commits += 1;
    this.deps.metrics.begun();
    const startedMs = this.deps.clock.monotonicMs();
    let committed: CommitResult<T>;
    try {
      committed = await step(
        { name: `commit ${label}`, kind: 'client', attributes: DATABASE },
        () => this.commitWithRetries({ kind, label, work }),
      );
      this.deps.metrics.committed(label, this.deps.clock.monotonicMs() - startedMs);
    } catch (error) {
      this.deps.metrics.rolledBack(label, this.deps.clock.monotonicMs() - startedMs);
      throw error;
    } finally {
      this.deps.metrics.ended();
      this.settle();
    }
    committed.afterCommit.run(label);
    return committed.result;
  }

  private assertIdle(label: Label): void {
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

  private async commitWithRetries<T>(commit: Commit<T>): Promise<CommitResult<T>> {
    const { kind, label } = commit;
    let unknown: CommitOutcomeUnknownError | undefined;
    let stalePlans = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.commitOnce(commit);
      } catch (error) {
        this.deps.metrics.tryFailed(label, error);
        if (isStalePlan(error) && stalePlans < MOST_CONNECTIONS) {
          // Its connection is ended. The pool may hold others that prepared the statement as long ago.
          stalePlans += 1;
          attempt -= 1;
          continue;
        }
        if (!mayRunAgain(kind, error)) throw classifyAfterRetries(error, label);
        if (error instanceof CommitOutcomeUnknownError) unknown = error;
        // A later failure does not undo what an earlier try may have stored.
        if (attempt === MAX_ATTEMPTS) throw unknown ?? classifyAfterRetries(error, label);
        // The conflicting row is stored already, so the next try needs no pause.
        if (error instanceof WriteConflictError) continue;
        await this.deps.clock.sleep(backoffMs(attempt, this.deps.random()));
      }
    }
  }

  private commitOnce<T>(commit: Commit<T>): Promise<CommitResult<T>> {
    const { connections, clock } = this.deps;
    const requestedMs = clock.monotonicMs();
    const connectAndCommit = () => this.connectAndCommit(commit, requestedMs);
    return connections === null ? connectAndCommit() : connections.within(connectAndCommit);
  }

  private async connectAndCommit<T>(
    commit: Commit<T>,
    requestedMs: number,
  ): Promise<CommitResult<T>> {
    const { label } = commit;
    const queryRunner = this.deps.dataSource.createQueryRunner();
    try {
      let connection: Connection;
      try {
        connection = (await queryRunner.connect()) as Connection;
      } catch (error) {
        throw classifyConnecting(error, label);
      }
      this.deps.metrics.connected(this.deps.clock.monotonicMs() - requestedMs);
      this.runner = queryRunner;
      return await runInCommitScope(label, queryRunner, () =>
        runAndCommit({ queryRunner, connection }, commit),
      );
    } catch (error) {
      await undo(queryRunner, error);
      throw classifyBeforeCommit(error, label);
    } finally {
      this.runner = null;
      await queryRunner.release();
    }
  }

  private settle(): void {
    const isClosing = this.state === 'closing';
    this.state = 'idle';
    if (isClosing) this.close();
  }
}

const DATABASE = { 'db.system.name': 'postgresql' };
const MAX_ATTEMPTS = 3;
/** The largest DATABASE_POOL_SIZE. */
const MOST_CONNECTIONS = 50;
const UNTIL_STORED_RETRY_MS = 200;

/** 50 ms, then 100 ms, each with up to as much again of jitter. */
function backoffMs(attempt: number, chance: number): number {
  return 50 * 2 ** (attempt - 1) * (1 + chance);
}

function mayRunAgain(kind: Kind, error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError || error instanceof WriteConflictError) return true;
  if (isRetryableSqlState(error)) return true;
  return kind === 'statement' && error instanceof CommitOutcomeUnknownError;
}
