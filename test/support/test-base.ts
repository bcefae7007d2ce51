import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/common/clock';
import type { Metrics } from '../../src/common/metrics';
import type { Tx, UnitOfWorkFactory } from '../../src/common/uow';
import { gate } from '../../tools/http-fake/gate';
import type { KeptLog } from './kept-log';

declare module '../../src/common/uow' {
  interface LabelAreas {
    tests: 'test';
  }
}

type Labels = Readonly<Record<string, string>>;

const LOCK_POLL_MS = 2;
const LOCK_TIMEOUT_MS = 30_000;

/** What each test has, with a whole application (`TestApp`) or without one (`TestDatabase`). */
export abstract class TestBase {
  abstract readonly clock: Clock;
  /** Lines that the code under test has logged. */
  abstract readonly log: KeptLog;
  abstract readonly units: UnitOfWorkFactory;
  /** The metrics of the process under test. */
  abstract readonly registry: Metrics;
  /** Waits until `check` returns true; on a timeout throws an error that contains `claim`. */
  abstract until(claim: string, check: () => boolean | Promise<boolean>): Promise<void>;

  abstract close(): Promise<void>;

  /** One commit on the pool of the process under test. */
  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.units.run('test', (uow) => uow.commit('test', work));
  }

  /** A commit whose work is done and that stays open until `end` is called. */
  async halfDone<T>(work: (tx: Tx) => Promise<T>): Promise<{ end(): Promise<T> }> {
    const worked = gate();
    const mayEnd = gate();
    const ended = this.commit(async (tx) => {
      const result = await work(tx);
      worked.open();
      await mayEnd.opened;
      return result;
    });
    await worked.opened;
    return {
      end: () => {
        mayEnd.open();
        return ended;
      },
    };
  }

  /** The rows of one statement. */
  sql<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.units.run('test', (uow) => uow.commitOne('test', (tx) => tx.query(text, values)));
  }

  /** The row of a statement that returns exactly one. */
  async one<Row>(text: string, values: readonly unknown[] = []): Promise<Row> {
    const [row, ...others] = await this.sql<Row>(text, values);
    if (row === undefined || others.length > 0) throw new Error(`not exactly one row: ${text}`);
    return row;
  }

  /** Every row of every table, as PostgreSQL writes it, behind the name of its table. */
  async allRows(): Promise<string[]> {
    const tables = await this.sql<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
    const rows: string[] = [];
    for (const { name } of tables) {
      const found = await this.sql<{ row: string }>(
        `select t::text as row from ${name} t order by 1`,
      );
      rows.push(...found.map(({ row }) => `${name} ${row}`));
    }
    return rows;
  }

  /** The rows of all tables that contain one of these texts. */
  async rowsWith(texts: readonly string[]): Promise<string[]> {
    return (await this.allRows()).filter((row) => texts.some((text) => row.includes(text)));
  }

  /** The sum of a metric's samples that have these labels; 0 when there is none. */
  async metrics(name: string, labels: Labels = {}): Promise<number> {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const samples = (await this.samples()).filter((line) => {
      const [, found, inside = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
      return found === `colloquy_${name}` && wanted.every((label) => inside.includes(label));
    });
    return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  /** The lines of the metrics that begin with this text, as a scraper reads them. */
  async samples(start = ''): Promise<string[]> {
    const { body } = await this.registry.exposition();
    return body.split('\n').filter((line) => line.startsWith(start));
  }

  /** Waits until a statement waits for a lock. Fake time stands still meanwhile. */
  async untilLockWait(): Promise<void> {
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const endMs = performance.now() + LOCK_TIMEOUT_MS;
    while ((await this.sql(waiting)).length === 0) {
      if (performance.now() >= endMs) throw new Error('never true: a statement waits for a lock');
      await sleep(LOCK_POLL_MS);
    }
  }
}
