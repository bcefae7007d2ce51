import type { QueryRunner } from 'typeorm';

declare const txBrand: unique symbol;

/**
 * The inside of one micro-commit. Only UnitOfWork.commit can make one; whoever takes a Tx writes
 * in the caller's transaction and holds no connection of its own.
 */
export interface Tx {
  readonly [txBrand]: true;
  readonly queryRunner: QueryRunner;
  /** Rows of one statement, as PostgreSQL names them. Values are always bound, never spliced. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Calls `tell` once this commit is known to be stored; never where it is not, or nobody can say.
   * For a log line or a count: it is quick and does not throw.
   */
  onCommitted(tell: () => void): void;
}
