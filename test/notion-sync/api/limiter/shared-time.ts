import { Clock } from '../../../../src/common/clock';
import type { Settings } from '../../../../src/common/config';
import { PeerHealth } from '../../../../src/common/lifecycle';
import { Metrics } from '../../../../src/common/metrics';
import {
  type Label,
  type Tx,
  type UnitOfWork,
  UnitOfWorkMetrics,
  UnitOfWorkFactory,
} from '../../../../src/common/uow';
import { LimiterHealth } from '../../../../src/notion-sync/api/limiter/limiter-health';
import { LimiterMetrics } from '../../../../src/notion-sync/api/limiter/limiter.metrics';
import { LimiterRepository } from '../../../../src/notion-sync/api/limiter/limiter.repository';
import {
  NotionLimiter,
  type PermitHolder,
} from '../../../../src/notion-sync/api/limiter/notion-limiter';
import { NotionApi } from '../../../../src/notion-sync/api/notion-api';
import { NotionRetries } from '../../../../src/notion-sync/api/notion-calls';
import { NotionClient } from '../../../../src/notion-sync/api/notion-client';
import { NotionHealth, NotionMetrics } from '../../../../src/notion-sync/api/notion-health';
import { SECOND_MS } from '../../../../src/notion-sync/api/limiter/limiter-timing';
import { TestDatabase, openPool } from '../../../support/app-database';
import { turnOfLoop, untilInProcess } from '../../../support/until';

/** Starts of calls that were asked for at 0, three at a time; the check before each takes 10 ms. */
export const FIRST = [10, 10, 10];
export const SECOND = FIRST.map((ms) => ms + SECOND_MS);
export const THIRD = 10 + 2 * SECOND_MS;

/** The delay of the next sleep or statement, in milliseconds. */
export type Stalls = () => number;
export const NO_STALLS: Stalls = () => 0;

/** How many milliseconds the next message takes to the database or back. */
export type Network = (way: 'there' | 'back') => number;

/**
 * Replicas that share one database and one fake time. Once every flow sleeps, `drive` moves the
 * time to the next moment at which one of them wakes. Statements run on a real database.
 */
export class SharedTime extends TestDatabase {
  private busy = 0;
  private readonly wakes = new Set<{ readonly atMs: number }>();

  static async open(): Promise<SharedTime> {
    return new SharedTime(await openPool());
  }

  get nowMs(): number {
    return this.clock.monotonicMs();
  }

  /** Resets the row to its state after the migration. */
  async reset(): Promise<void> {
    await this.sql(
      `update notion_limiter set grants = '{}', timescales = '{}', blurs_ms = '{}', paused_until = null, rate = 1,
         recovers_from = null, limited_at = null`,
    );
  }

  replica(settings: Settings, stalls: Stalls = NO_STALLS, network: Network | null = null): Replica {
    return replicaOf(this, settings, stalls, network);
  }

  /** Counts a flow as busy while it runs; `drive` waits for it. */
  async flow<T>(work: () => Promise<T>): Promise<T> {
    this.busy += 1;
    try {
      return await work();
    } finally {
      this.busy -= 1;
    }
  }

  /** Asks a replica for a permit now. Returns the start, counted from `fromMs`, or the error. */
  ask(
    { limiter }: Replica,
    fromMs: number,
    holder: PermitHolder = {},
  ): Promise<number | { readonly error: unknown }> {
    return this.flow(() =>
      limiter
        .whenPermitted(holder, () => Promise.resolve(Math.round(this.nowMs - fromMs)))
        .catch((error: unknown) => ({ error })),
    );
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted === true) return;
    // Whole milliseconds, because the fake time of statements has no fractions.
    const wholeMs = Math.ceil(ms);
    const wake = { atMs: this.nowMs + wholeMs };
    this.wakes.add(wake);
    this.busy -= 1;
    await this.clock.sleep(wholeMs, signal);
    this.busy += 1;
    this.wakes.delete(wake);
  }

  /** Resolves when no flow is busy: each one sleeps or has ended. */
  async settle(): Promise<void> {
    await turnOfLoop();
    await untilInProcess('no flow is busy', () => this.busy <= 0);
  }

  /** Lets time pass until no flow sleeps any more, or until `untilMs`. */
  async drive(untilMs = Infinity): Promise<void> {
    for (;;) {
      await this.settle();
      const next = Math.min(untilMs, ...[...this.wakes].map(({ atMs }) => atMs));
      if (next === Infinity || this.nowMs >= untilMs) return;
      this.clock.advance(Math.max(0, next - this.nowMs));
    }
  }

  /**
   * One step of `drive`: moves the time to the next moment at which a flow wakes, unless a flow is
   * busy. `hanging` is the number of busy flows that wait for the test itself.
   */
  pass(hanging = 0): void {
    if (this.busy > hanging || this.wakes.size === 0) return;
    const next = Math.min(...[...this.wakes].map(({ atMs }) => atMs));
    this.clock.advance(Math.max(0, next - this.nowMs));
  }
}

export interface Replica {
  readonly limiter: NotionLimiter;
  readonly clock: Clock;
  readonly units: UnitOfWorkFactory;
  readonly metrics: Metrics;
  readonly condition: LimiterHealth;
  readonly conditions: PeerHealth;
  /** The client of Notion at the address in the settings. */
  readonly api: NotionApi;
  readonly retries: NotionRetries;
}

/** The lines of a replica's metrics that begin with `name`. */
export async function lines({ metrics }: Replica, name: string): Promise<string[]> {
  const { body } = await metrics.exposition();
  return body.split('\n').filter((line) => line.startsWith(name));
}

/** The clock of one process: it has its own start and wall clock, and its sleeps end late. */
class ReplicaClock extends Clock {
  private readonly offsetMs = Math.round(Math.random() * 1e9);

  constructor(
    private readonly time: SharedTime,
    private readonly stalls: Stalls,
  ) {
    super();
  }

  override now(): Date {
    return new Date(this.time.clock.now().getTime() + this.offsetMs);
  }

  override monotonicMs(): number {
    return this.time.nowMs + this.offsetMs;
  }

  override databaseNow(): Date {
    return this.time.clock.databaseNow();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return ms <= 0 ? Promise.resolve() : this.time.sleep(ms + this.stalls(), signal);
  }
}

/** A repository whose statement takes some fake time. */
class SlowLimiterRepository extends LimiterRepository {
  constructor(
    private readonly time: SharedTime,
    private readonly stalls: Stalls,
    clock: Clock,
    settings: Settings,
  ) {
    super(clock, settings);
  }

  override async check(
    ...given: Parameters<LimiterRepository['check']>
  ): ReturnType<LimiterRepository['check']> {
    this.time.clock.advance(this.stalls());
    const checked = await super.check(...given);
    this.time.clock.advance(this.stalls());
    return checked;
  }
}

function replicaOf(
  time: SharedTime,
  settings: Settings,
  stalls: Stalls,
  network: Network | null,
): Replica {
  const clock = new ReplicaClock(time, stalls);
  const metrics = new Metrics();
  const units = new UnitOfWorkFactory(time.dataSource, clock, new UnitOfWorkMetrics(metrics));
  const row = new SlowLimiterRepository(time, stalls, clock, settings);
  const slow =
    network === null
      ? slowUnits(units, () => time.sleep(stalls()))
      : distantUnits(units, time, network);
  const limiterMetrics = new LimiterMetrics(metrics);
  const conditions = new PeerHealth();
  const condition = new LimiterHealth(conditions, limiterMetrics);
  const limiter = new NotionLimiter(slow, row, clock, limiterMetrics, condition);
  const health = new NotionHealth(conditions);
  // The client sleeps only for the timeout of a call; a test moves that time, not `drive`.
  const client = new NotionClient(
    settings,
    limiter,
    health,
    new NotionMetrics(metrics),
    time.clock,
  );
  const [api, retries] = [new NotionApi(client), new NotionRetries(settings, clock)];
  return { limiter, clock, units, metrics, condition, conditions, api, retries };
}

/** Commits that wait before they begin and after they have ended. */
function slowUnits(units: UnitOfWorkFactory, pause: () => Promise<void>): UnitOfWorkFactory {
  return withCommits(units, (uow, kind) => async (label, work) => {
    await pause();
    const result = await uow[kind](label, work);
    await pause();
    return result;
  });
}

/**
 * Commits over a network: each statement takes a round trip of fake time, and BEGIN and COMMIT take
 * one each if a commit has several statements. Each statement is its own transaction, so no
 * connection and no lock is held while fake time passes.
 */
function distantUnits(
  units: UnitOfWorkFactory,
  time: SharedTime,
  network: Network,
): UnitOfWorkFactory {
  const trip = async <T>(there: () => Promise<T>): Promise<T> => {
    await time.sleep(network('there'));
    const result = await there();
    await time.sleep(network('back'));
    return result;
  };
  const nothing = (): Promise<void> => Promise.resolve();
  return withCommits(units, (_uow, kind) => async (label, work) => {
    const tx = {
      query: (text: string, values: unknown[] = []) =>
        trip(() => {
          const now = time.clock.databaseNow();
          const given = values.map((value) => (value instanceof Date ? now : value));
          return units.run(label, (uow) => uow.commit(label, (real) => real.query(text, given)));
        }),
      afterCommit: () => undefined,
    };
    if (kind === 'commit') await trip(nothing);
    const result = await work(tx as unknown as Tx);
    if (kind === 'commit') await trip(nothing);
    return result;
  });
}

type Kind = 'commit' | 'commitOne';
type Commit = <T>(label: Label, work: (tx: Tx) => Promise<T>) => Promise<T>;

function withCommits(
  units: UnitOfWorkFactory,
  commitOf: (uow: UnitOfWork, kind: Kind) => Commit,
): UnitOfWorkFactory {
  return instead(units, {
    run: <T>(label: Label, flow: (uow: UnitOfWork) => Promise<T>) =>
      units.run(label, (uow) =>
        flow(
          instead(uow, { commit: commitOf(uow, 'commit'), commitOne: commitOf(uow, 'commitOne') }),
        ),
      ),
  });
}

function instead<T extends object>(target: T, methods: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (owner, key) => methods[key as string] ?? (Reflect.get(owner, key) as unknown),
  });
}
