/**
 * Streams that commit now and then, on a small pool: a unit of work that takes a connection for each
 * commit, compared with a QueryRunner that is held for the whole stream.
 */
import type { DataSource } from 'typeorm';
import { SystemClock } from '../src/common/clock';
import { Metrics } from '../src/common/metrics';
import { UnitOfWorkMetrics, UnitOfWorkFactory } from '../src/common/uow';
import { createDataSource } from '../src/persistence';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';
import { median } from './lib/stats';

const STREAMS = 200;
const COMMITS = 20;
const POOL = 5;
/** Between two commits of a stream, while the model generates text. */
const PAUSE_MS = 20;
const BLOCKS = 5;
const INSERT = `insert into bench_note (text) values ('a segment of a reply')`;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

async function seconds(stream: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: STREAMS }, stream));
  return (performance.now() - startedMs) / 1000;
}

function leasedStream(units: UnitOfWorkFactory): () => Promise<void> {
  return () =>
    units.run('stream', async (uow) => {
      for (let n = 0; n < COMMITS; n += 1) {
        await uow.commit('bench.segment', (tx) => tx.query(INSERT));
        await pause();
      }
    });
}

function pinnedStream(dataSource: DataSource): () => Promise<void> {
  return async () => {
    const queryRunner = dataSource.createQueryRunner();
    try {
      for (let n = 0; n < COMMITS; n += 1) {
        await queryRunner.startTransaction();
        await queryRunner.query(INSERT);
        await queryRunner.commitTransaction();
        await pause();
      }
    } finally {
      await queryRunner.release();
    }
  };
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  // The streams with a held QueryRunner wait longer for a connection than any request may.
  const open = (): DataSource =>
    createDataSource({ url: database.url, poolSize: POOL, poolWaitMs: 120_000 });
  const [leasedSource, pinnedSource] = [open(), open()];
  await leasedSource.initialize();
  await pinnedSource.initialize();
  await leasedSource.query('create table bench_note (id bigserial primary key, text text)');
  const units = new UnitOfWorkFactory(
    leasedSource,
    new SystemClock(),
    new UnitOfWorkMetrics(new Metrics()),
  );

  await seconds(leasedStream(units));
  const blocks: { leased: number; pinned: number }[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    const pinned = await seconds(pinnedStream(pinnedSource));
    blocks.push({ pinned, leased: await seconds(leasedStream(units)) });
  }
  report(
    'uow',
    [
      { name: 'a runner pinned per stream', value: median(blocks.map((b) => b.pinned)), unit: 's' },
      { name: 'a lease per micro-commit', value: median(blocks.map((b) => b.leased)), unit: 's' },
      {
        name: 'pinned over leased',
        value: median(blocks.map((b) => b.pinned / b.leased)),
        unit: '×',
        bound: { atLeast: 3 },
      },
    ],
    [
      `${STREAMS} streams × ${COMMITS} commits, ${PAUSE_MS} ms between, pool of ${POOL}, ${BLOCKS} blocks`,
    ],
  );
  await leasedSource.destroy();
  await pinnedSource.destroy();
  await database.close();
}

void main();
