import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Clock } from '../../src/common/clock';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkMetrics, UnitOfWorkFactory } from '../../src/common/uow';
import { ControlConnection, createDataSource } from '../../src/persistence';
import { FakeClock } from '../../tools/support/fake-clock';
import { KeptLog } from './kept-log';
import { createTestDatabase } from './postgres';
import { TestBase } from './test-base';
import { untilInProcess } from './until';

export interface DatabasePool<C extends Clock = FakeClock> {
  readonly url: string;
  readonly dataSource: DataSource;
  readonly clock: C;
  readonly drop: () => Promise<void>;
}

/** Takes the log of this test file; what it has logged is in `log`. */
export class TestDatabase<C extends Clock = FakeClock> extends TestBase {
  readonly url: string;
  readonly clock: C;
  readonly dataSource: DataSource;
  readonly control: ControlConnection;
  readonly units: UnitOfWorkFactory;
  readonly log = new KeptLog();
  private readonly ownRegistry = new Metrics();
  private readonly controls: ControlConnection[] = [];

  constructor(private readonly pool: DatabasePool<C>) {
    super();
    this.url = pool.url;
    this.clock = pool.clock;
    this.dataSource = pool.dataSource;
    this.control = this.anotherControl();
    const metrics = new UnitOfWorkMetrics(this.ownRegistry);
    this.units = new UnitOfWorkFactory(this.dataSource, this.clock, metrics);
    Logger.overrideLogger(this.log);
  }

  get registry(): Metrics {
    return this.ownRegistry;
  }

  /** The control connection of another process. */
  anotherControl(): ControlConnection {
    const control = new ControlConnection(this.url, this.clock);
    this.controls.push(control);
    return control;
  }

  /** Fake time stands still meanwhile. */
  until(claim: string, check: () => boolean | Promise<boolean>): Promise<void> {
    return untilInProcess(claim, check);
  }

  override sql<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.dataSource.query<Row[]>(text, [...values]);
  }

  /** Closes everything; fails when another connection to the database is still open. */
  async close(): Promise<void> {
    for (const control of this.controls) await control.close();
    await this.dataSource.destroy();
    await this.pool.drop();
  }
}

/** A fresh, migrated database with a pool and a control connection; on a fake clock by default. */
export function openTestDatabase(): Promise<TestDatabase>;
export function openTestDatabase<C extends Clock>(clock: C): Promise<TestDatabase<C>>;
export async function openTestDatabase(
  clock: Clock = new FakeClock(),
): Promise<TestDatabase<Clock>> {
  return new TestDatabase(await openPool(clock));
}

/** The same on a database that the caller has made; `close` calls `drop`. */
export async function openDatabaseAt<C extends Clock>(
  database: { readonly url: string; drop(): Promise<void> },
  clock: C,
): Promise<TestDatabase<C>> {
  return new TestDatabase(await openPool(clock, database));
}

/** For classes that are a `TestDatabase` with more: what their constructor is given. */
export function openPool(): Promise<DatabasePool>;
export function openPool<C extends Clock>(
  clock: C,
  database?: Pick<DatabasePool<C>, 'url' | 'drop'>,
): Promise<DatabasePool<C>>;
export async function openPool(
  clock: Clock = new FakeClock(),
  database?: Pick<DatabasePool<Clock>, 'url' | 'drop'>,
): Promise<DatabasePool<Clock>> {
  const { url, drop } = database ?? (await createTestDatabase());
  const dataSource = createDataSource({ url, poolSize: 5 });
  await dataSource.initialize();
  return { url, dataSource, clock, drop };
}
