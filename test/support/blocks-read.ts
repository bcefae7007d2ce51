import type { Tx } from '../../src/common/uow';

type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Runs the statements that `call` sends, and returns how many blocks PostgreSQL has read for them. */
export async function blocksReadBy(
  query: Query,
  call: (tx: Tx) => Promise<unknown>,
): Promise<number> {
  let blocks = 0;
  const explaining = {
    async query(text: string, values: unknown[] = []) {
      const rows = await query<{ 'QUERY PLAN': string }>(
        `explain (analyze, buffers, timing off, summary off) ${text}`,
        [...values],
      );
      blocks += blocksOf(rows.map((row) => row['QUERY PLAN']));
      return [];
    },
  };
  await call(explaining as unknown as Tx);
  return blocks;
}

/** The first line about buffers counts all nodes below it. What planning reads is not counted. */
function blocksOf(plan: readonly string[]): number {
  const line = plan.find((one) => one.trim().startsWith('Buffers: shared')) ?? '';
  const counts = [...line.matchAll(/(?:hit|read)=(\d+)/g)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
