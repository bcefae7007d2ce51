/**
 * The connection of claims and beats: one of its own, so that they never wait for the pool.
 * persistence's ControlConnection is one.
 */
export interface ClaimConnection {
  /** Rows of one statement, which is its own transaction. Throws while the database is away. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Monotonic time at which the present, uninterrupted contact began; null without contact. */
  connectedSinceMs(): number | null;
}

/** Its token for injection. */
export const CLAIM_CONNECTION = Symbol('ClaimConnection');
