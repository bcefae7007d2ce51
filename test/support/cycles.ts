import type { FakeClock } from '../../tools/support/fake-clock';

/** The columns of a row that its statements change; times in milliseconds. */
export type Columns = Readonly<Record<string, unknown>>;

/** One statement: when it may come, what it does to the row by the model, and the statement itself. */
export interface CycleStep<Row extends Columns> {
  readonly name: string;
  /** Left out: always. */
  readonly may?: (row: Row) => boolean;
  /** How much time passes before it; 1 ms if nothing is said. */
  readonly afterMs?: number;
  /** What changes; the rest stays. */
  readonly model: (row: Row, now: number) => Partial<Row>;
  readonly run: (row: Row) => Promise<unknown>;
}

/** A row that goes round: after each statement all its columns are what a model says. */
export interface Cycles<Row extends Columns> {
  readonly clock: FakeClock;
  readonly steps: readonly CycleStep<Row>[];
  /** Makes a new row; returns it as the model has it. */
  readonly begin: (now: number) => Promise<Row>;
  readonly read: () => Promise<Columns>;
}

/** Walks these steps from a new row. Those that may not come are left out. Returns the names of those taken. */
export async function walk<Row extends Columns>(
  { clock, steps, begin, read }: Cycles<Row>,
  names: readonly string[],
): Promise<string[]> {
  const nowMs = (): number => clock.now().getTime();
  let row = await begin(nowMs());
  const taken: string[] = [];
  expect({ taken, row: only(row, await read()) }).toEqual({ taken, row });
  for (const name of names) {
    const step = steps.find((one) => one.name === name);
    if (step === undefined) throw new Error(`there is no step ${name}`);
    if (step.may?.(row) === false) continue;
    // Each statement has a time of its own, so that no other time can pass for it.
    clock.advance(step.afterMs ?? 1);
    const next = { ...row, ...step.model(row, nowMs()) };
    await step.run(row);
    taken.push(name);
    expect({ taken, row: only(next, await read()) }).toEqual({ taken, row: next });
    row = next;
  }
  return taken;
}

/** The cycle two and ten times. */
export async function walkRound<Row extends Columns>(
  cycles: Cycles<Row>,
  cycle: readonly string[],
): Promise<void> {
  for (const times of [2, 10]) {
    const steps = Array.from({ length: times }, () => cycle).flat();
    expect(await walk(cycles, steps)).toEqual(steps);
  }
}

/** The columns of the model, with times in milliseconds. */
function only(model: Columns, stored: Columns): Columns {
  return Object.fromEntries(
    Object.keys(model).map((column) => {
      const value = stored[column];
      return [column, value instanceof Date ? value.getTime() : value];
    }),
  );
}

/** Arguments for `test.each`: the name of each cycle, and the cycle. */
export function named(
  cycles: readonly (readonly string[])[],
): readonly (readonly [string, readonly string[]])[] {
  return cycles.map((cycle) => [cycle.join(', '), cycle] as const);
}
