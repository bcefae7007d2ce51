import type { DataSource } from 'typeorm';
import type { Clock } from '../../src/common/clock';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkMetrics, UnitOfWorkFactory } from '../../src/common/uow';
import { ControlConnection, createDataSource } from '../../src/persistence';
import { FakeClock } from './clock';
import { createTestDatabase } from './postgres';

export interface TestDatabase<C extends Clock = FakeClock> {
  readonly url: string;
  readonly dataSource: DataSource;
  readonly units: UnitOfWorkFactory;
  readonly control: ControlConnection;
  readonly clock: C;
  readonly metrics: Metrics;
  /** Closes everything; fails when another connection to the database is still open. */
  close(): Promise<void>;
}

/** A fresh, migrated database with a pool and a control connection; on a fake clock by default. */
export function openTestDatabase(): Promise<TestDatabase>;
export function openTestDatabase<C extends Clock>(clock: C): Promise<TestDatabase<C>>;
export async function openTestDatabase(
  clock: Clock = new FakeClock(),
): Promise<TestDatabase<Clock>> {
  return openDatabaseAt(await createTestDatabase(), clock);
}

/** The same on a database that the caller has made; `close` calls `drop`. */
export async function openDatabaseAt<C extends Clock>(
  database: { readonly url: string; drop(): Promise<void> },
  clock: C,
): Promise<TestDatabase<C>> {
  const dataSource = createDataSource({ url: database.url, poolSize: 5 });
  await dataSource.initialize();
  const control = new ControlConnection(database.url, clock);
  const metrics = new Metrics();
  return {
    url: database.url,
    dataSource,
    units: new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(metrics)),
    control,
    clock,
    metrics,
    async close() {
      await control.close();
      await dataSource.destroy();
      await database.drop();
    },
  };
}
