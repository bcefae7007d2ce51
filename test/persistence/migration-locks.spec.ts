import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate } from '../../src/persistence';
import { MIGRATIONS } from '../../src/persistence/data-source';
import { MigrationLockedOutError } from '../../src/persistence/migrate';
import { FakeClock } from '../../tools/support/fake-clock';
import { rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';

/** Migrations of a database that a replica of the previous release still uses. */

const LOCK_WAIT_MS = 20;
const NAME = 'TwoColumns1764000009999';

/** A migration of a later release; each of its statements locks a table. */
class TwoColumns1764000009999 implements MigrationInterface {
  readonly name = NAME;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table vacancy add column later text');
    await queryRunner.query('alter table invitation add column later text');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

const migrations = [...MIGRATIONS, TwoColumns1764000009999];

/** A clock whose `sleep` returns at once and records its length. */
class SkippingClock extends FakeClock {
  readonly slept: number[] = [];
  onSleep: (nth: number) => Promise<void> = () => Promise.resolve();

  override async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    await this.onSleep(this.slept.length);
  }
}

let url: string;
let drop: () => Promise<void>;
let holder: Client;
let clock: SkippingClock;
let warnings: string[];

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  await rowsOf(url, 'drop schema public cascade; create schema public');
  await migrate(url);
  clock = new SkippingClock();
  warnings = [];
  holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table invitation in access share mode');
});
afterEach(async () => {
  await holder.end();
  await drop();
});

async function run(): Promise<void> {
  const logger = { warn: (line: string): void => void warnings.push(line) };
  await migrate(url, { clock, logger, lockWaitMs: LOCK_WAIT_MS, migrations });
}

test('times out on a locked table, and retries after growing pauses', async () => {
  clock.onSleep = async (nth) => {
    if (nth === 3) await holder.query('commit');
  };

  await run();

  const [done] = await rowsOf(url, 'select count(*)::int as n from migrations');
  expect(done).toEqual({ n: migrations.length });
  expect(clock.slept).toEqual([500, 1000, 2000]);
  expect(warnings).toHaveLength(3);
  expect(warnings[0]).toBe(
    `Migration ${NAME} cannot lock a table that another connection uses (try 1 of 12); ` +
      'trying again in 500 ms',
  );
});

test('holds no lock during a pause: others use the table meanwhile', async () => {
  const seen: unknown[] = [];
  clock.onSleep = async (nth) => {
    const other = new Client({ connectionString: url, options: '-c lock_timeout=50' });
    await other.connect();
    await other.query('update invitation set expires_at = now()').catch((error: unknown) => {
      seen.push(error);
    });
    await other.end();
    if (nth === 2) await holder.query('commit');
  };

  await run();

  expect(clock.slept).toHaveLength(2);
  expect(seen).toEqual([]);
});

test('fails after the last try with the reason, and can be started again', async () => {
  const error = await run().catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(MigrationLockedOutError);
  expect((error as Error).message).toMatch(
    new RegExp(`^Migration ${NAME} could not lock a table in 12 tries, .* pg_stat_activity`),
  );
  expect(clock.slept).toHaveLength(11);
  expect(Math.max(...clock.slept)).toBe(10_000);

  await holder.query('commit');
  await run();

  const [done] = await rowsOf(url, 'select count(*)::int as n from migrations');
  expect(done).toEqual({ n: migrations.length });
});

test('does not retry a failure that no lock caused', async () => {
  await holder.query('commit');
  await rowsOf(url, 'alter table vacancy add column later text');

  await expect(run()).rejects.toThrow('already exists');
  expect(clock.slept).toEqual([]);
});
