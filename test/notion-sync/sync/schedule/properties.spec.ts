import fc from 'fast-check';
import type { RunEnd } from '../../../../src/notion-sync/sync/board-runner';
import { NO_COUNTS } from './board-queue';
import { type Gate, gate } from '../../../../tools/http-fake/gate';
import { ADA, BOB, EVE, LEASE_MS, BoardQueue } from './board-queue';
import { untilInProcess } from '../../../support/until';

/** The queue under random steps: first a model, then PostgreSQL compared with it at each step. */

type Step =
  | { readonly kind: 'change' | 'sweep'; readonly user: string }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'claim' | 'ranked' | 'partly' | 'fail' | 'crash' | 'race' };

const MAX_FAILS = 3;

const user = fc.constantFrom(ADA, BOB, EVE);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: user.map((who): Step => ({ kind: 'change', user: who })) },
  { weight: 1, arbitrary: user.map((who): Step => ({ kind: 'sweep', user: who })) },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(1, 500, 3000, 10_000, 20_000)
      .map((ms): Step => ({ kind: 'pass', ms })),
  },
  { weight: 5, arbitrary: fc.constant<Step>({ kind: 'claim' }) },
  { weight: 4, arbitrary: fc.constant<Step>({ kind: 'ranked' }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'partly' },
      { kind: 'fail' },
      { kind: 'crash' },
      { kind: 'race' },
    ),
  },
);
const steps = fc.array(step, { minLength: 5, maxLength: 40 });

/** The heartbeat before the crash has extended the lease beyond the time of the claim. */
const CRASH_AFTER_A_HEARTBEAT: Step[] = [
  { kind: 'change', user: ADA },
  { kind: 'pass', ms: 20_000 },
  { kind: 'claim' },
  { kind: 'pass', ms: 10_000 },
  { kind: 'claim' },
  { kind: 'crash' },
  { kind: 'claim' },
  { kind: 'pass', ms: 10_000 },
  { kind: 'claim' },
];

function mayFail(model: QueueModel): boolean {
  return (model.running?.failures ?? MAX_FAILS) < MAX_FAILS;
}

describe('the model', () => {
  /** Applies a step to the model alone. A crash is a takeover of the running board. */
  function play(model: QueueModel, one: Step, note: (row: ModelRow) => void): void {
    const { running } = model;
    if (one.kind === 'change') model.change(one.user);
    else if (one.kind === 'sweep') model.sweep(one.user);
    else if (one.kind === 'pass') model.nowMs += one.ms;
    else if (one.kind === 'claim') {
      const [next] = model.next();
      if (next !== undefined) {
        note(next);
        model.begin(next, LEASE_MS);
      }
    } else if (one.kind === 'fail') {
      if (mayFail(model)) model.fail(model.nowMs + 1000);
    } else if (one.kind === 'crash') {
      if (running !== undefined) model.begin(running, LEASE_MS);
    } else model.end(one.kind === 'partly' ? 'partly' : 'ranked');
  }

  test('loses no change, and ends with an empty queue', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const model = new QueueModel();
        for (const one of all) play(model, one, () => undefined);
        for (let n = 0; n < 40; n += 1) {
          for (const kind of ['ranked', 'claim'] as const) play(model, { kind }, () => undefined);
          play(model, { kind: 'pass', ms: 10_000 }, () => undefined);
        }
        expect(model.rows).toEqual([]);
        expect(model.forgotten).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test('has at most one open board per person, and none waits longer than the longest wait', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const model = new QueueModel();
        for (const one of all) {
          play(model, one, () => undefined);
          const open = model.rows.filter(({ state }) => state === 'open');
          expect(new Set(open.map((row) => row.user)).size).toBe(open.length);
          for (const { dueMs, firstMs } of open) {
            expect(dueMs - firstMs).toBeLessThanOrEqual(QUIET.maxWaitMs);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('takes boards in the order in which they became ready', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const model = new QueueModel();
        for (const one of all) {
          const ready = model.rows
            .filter(({ state, dueMs }) => state !== 'running' && dueMs <= model.nowMs)
            .map((row) => ({ ...row }));
          play(model, one, (claimed) => {
            const before = ready.filter(({ dueMs }) => dueMs < claimed.dueMs);
            // A board may be passed over only while it waits for a retry of the same person.
            for (const { user: who } of before) expect(model.of(who, 'retry')).toBeDefined();
          });
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('PostgreSQL', () => {
  let setup: BoardQueue;
  let model: QueueModel;
  let startMs: number;
  let runs: { user: string; end: Gate<RunEnd | Error> }[] = [];

  beforeAll(async () => {
    setup = await BoardQueue.open();
  });
  afterAll(async () => {
    endAll();
    await setup.close();
  });

  /** Ends all runs, also after a failed check, so that the next sequence of steps can begin. */
  function endAll(): void {
    for (const { end } of runs) end.open({ kind: 'ranked', counts: NO_COUNTS });
  }

  async function begin(): Promise<void> {
    endAll();
    await setup.reset();
    model = new QueueModel();
    runs = [];
    startMs = setup.clock.now().getTime();
    setup.boards.behave = async ({ userId }) => {
      const end = gate<RunEnd | Error>();
      runs.push({ user: userId, end });
      const ended = await end.opened;
      if (ended instanceof Error) throw ended;
      return ended;
    };
  }

  async function endRun(ended: RunEnd | Error): Promise<void> {
    runs.at(-1)?.end.open(ended);
    await setup.settled();
  }

  async function dueOf(who: string, state: string): Promise<number> {
    const row = (await setup.live(who)).find((one) => one.state === state);
    const renewedTo = state === 'running' ? row?.leased_until : null;
    return ((renewedTo ?? row?.due_at)?.getTime() ?? NaN) - startMs;
  }

  /** One pass. It must claim what the model would claim. */
  async function claim(): Promise<void> {
    const isHeld = setup.process.rig.held.all().length > 0;
    const before = runs.length;
    const lost = isHeld ? undefined : model.running;
    const may = lost === undefined ? model.next() : lost.dueMs <= model.nowMs ? [lost] : [];
    const claimed = await setup.process.rig.worker.tick();
    expect(claimed).toBe(may.length === 0 ? 0 : 1);
    if (claimed === 0) return;
    await untilInProcess('the board runs', () => runs.length > before);
    const row = may.find((one) => one.user === runs.at(-1)?.user);
    if (row === undefined) throw new Error('a board ran that the model would not have claimed');
    model.begin(row, LEASE_MS);
  }

  async function end(kind: 'ranked' | 'partly' | 'fail'): Promise<void> {
    const { running } = model;
    if (running === undefined || setup.process.rig.held.all().length === 0) return;
    if (kind === 'fail') {
      if (!mayFail(model)) return;
      await endRun(new Error('a bug'));
      model.fail(await dueOf(running.user, 'retry'));
      return;
    }
    await endRun({ kind, counts: NO_COUNTS });
    model.end(kind);
  }

  async function play(one: Step): Promise<void> {
    switch (one.kind) {
      case 'change':
      case 'sweep':
        await setup.mark(one.kind === 'change' ? 'event' : 'sweep', one.user);
        model[one.kind](one.user);
        return;
      case 'pass':
        setup.pass(one.ms);
        model.nowMs += one.ms;
        return;
      case 'claim':
        return claim();
      case 'crash':
        // The others wait until the lease of the last heartbeat ends.
        if (model.running !== undefined) {
          model.running.dueMs = await dueOf(model.running.user, 'running');
        }
        setup.crash();
        return;
      case 'race': {
        const { running } = model;
        if (running === undefined || setup.process.rig.held.all().length === 0) return;
        await Promise.all([
          setup.mark('event', running.user),
          endRun({ kind: 'ranked', counts: NO_COUNTS }),
        ]);
        model.end('ranked');
        model.change(running.user);
        return;
      }
      case 'ranked':
      case 'partly':
      case 'fail':
        return end(one.kind);
    }
  }

  async function compare(): Promise<void> {
    const live = (await setup.live()).map(({ key, state, due_at }) => {
      const dueMs = state === 'running' ? 0 : Math.round((due_at?.getTime() ?? 0) - startMs);
      return `${key} ${state} ${dueMs}`;
    });
    const said = model.rows.map((row) => {
      const dueMs = row.state === 'running' ? 0 : Math.round(row.dueMs);
      return `${row.user} ${row.state} ${dueMs}`;
    });
    expect(live.sort()).toEqual(said.sort());
  }

  test('behaves like the model at each step, and loses no change', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await begin();
        for (const one of all) {
          await play(one);
          await compare();
        }
        for (let n = 0; n < 60 && model.rows.length > 0; n += 1) {
          await end('ranked');
          await claim();
          await play({ kind: 'pass', ms: 10_000 });
        }
        expect(await setup.live()).toEqual([]);
        expect(model.forgotten).toEqual([]);
      }),
      { numRuns: 120, examples: [[CRASH_AFTER_A_HEARTBEAT]] },
    );
  }, 400_000);
});

/**
 * A small model of the queue of boards with one worker. A person's board has a `version`, which
 * each change increases; a run sees the version that the board had when the run began.
 */
interface ModelRow {
  /** Rows of a person run in this order. */
  readonly order: number;
  readonly user: string;
  state: 'open' | 'retry' | 'running';
  /** For a running row: the end of its lease. */
  dueMs: number;
  readonly firstMs: number;
  failures: number;
}

const QUIET = { leastMs: 10_000, mostMs: 15_000, maxWaitMs: 60_000 };
const [FEW, MANY] = [5, 20];

class QueueModel {
  nowMs = 0;
  rows: ModelRow[] = [];
  readonly version = new Map<string, number>();
  /** The version that the last successful run has seen, by user. */
  readonly ranked = new Map<string, number>();
  private seen = 0;
  private orders = 0;

  get running(): ModelRow | undefined {
    return this.rows.find(({ state }) => state === 'running');
  }

  of(user: string, state: ModelRow['state']): ModelRow | undefined {
    return this.rows.find((row) => row.user === user && row.state === state);
  }

  change(user: string): void {
    this.version.set(user, (this.version.get(user) ?? 0) + 1);
    const dueMs = this.nowMs + this.quietMs();
    const retry = this.of(user, 'retry');
    if (retry !== undefined) retry.dueMs = Math.min(retry.dueMs, dueMs);
    const open = this.of(user, 'open');
    if (open === undefined) this.open(user, dueMs);
    else if (open.dueMs > this.nowMs) open.dueMs = Math.min(dueMs, open.firstMs + QUIET.maxWaitMs);
  }

  sweep(user: string): void {
    if (!this.rows.some((row) => row.user === user)) this.open(user, this.nowMs);
  }

  /** The rows that may be claimed: all rows that became ready at the earliest time. */
  next(): ModelRow[] {
    if (this.running !== undefined) return [];
    const ready = this.rows.filter((row) => row.dueMs <= this.nowMs && this.isFirst(row));
    const earliest = Math.min(...ready.map(({ dueMs }) => dueMs));
    return ready.filter(({ dueMs }) => dueMs === earliest);
  }

  /** A claim, or the takeover of a run whose process has crashed. The run reads its board next. */
  begin(row: ModelRow, leaseMs: number): void {
    this.rows = this.rows.filter((other) => other.user !== row.user || other === row);
    row.state = 'running';
    row.dueMs = this.nowMs + leaseMs;
    this.seen = this.version.get(row.user) ?? 0;
  }

  end(kind: 'ranked' | 'partly'): void {
    const { running } = this;
    if (running === undefined) return;
    this.rows = this.rows.filter((row) => row !== running);
    if (kind === 'ranked') {
      this.ranked.set(running.user, this.seen);
      return;
    }
    const open = this.of(running.user, 'open');
    if (open === undefined) this.open(running.user, this.nowMs);
    else open.dueMs = Math.min(open.dueMs, this.nowMs);
  }

  fail(retryDueMs: number): void {
    const { running } = this;
    if (running === undefined) return;
    running.state = 'retry';
    running.dueMs = retryDueMs;
    running.failures += 1;
  }

  /** The people whose last change no run has seen. */
  get forgotten(): string[] {
    return [...this.version]
      .filter(([user, v]) => this.ranked.get(user) !== v)
      .map(([user]) => user);
  }

  private open(user: string, dueMs: number): void {
    this.orders += 1;
    const row = { order: this.orders, user, state: 'open', dueMs, firstMs: this.nowMs } as const;
    this.rows.push({ ...row, failures: 0 });
  }

  private isFirst(row: ModelRow): boolean {
    return !this.rows.some((other) => other.user === row.user && other.order < row.order);
  }

  private quietMs(): number {
    const ready = this.rows.filter(
      ({ state, dueMs }) => state !== 'running' && dueMs <= this.nowMs,
    ).length;
    const pressure = Math.min(1, Math.max(0, (ready - FEW) / (MANY - FEW)));
    return QUIET.leastMs + (QUIET.mostMs - QUIET.leastMs) * pressure;
  }
}
