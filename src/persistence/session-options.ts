/**
 * On every connection of ours. The planner takes a table that was never analysed for a thousand rows
 * and more; joined, its guess passes the cost from which PostgreSQL compiles a statement, which takes
 * 200 ms where the work takes less than one. Our statements are short: compiling never pays.
 */
const EVERYWHERE = '-c jit=off';

/** The startup options of a session: what every connection has, and `more` of its own. */
export function sessionOptions(...more: readonly string[]): string {
  return [EVERYWHERE, ...more].join(' ');
}
