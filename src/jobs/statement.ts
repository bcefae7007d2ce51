/** One SQL statement as a value. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}
