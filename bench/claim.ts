/** The claim of a batch from a full table: many due rows, many more finished ones. */
import { SystemClock } from '../src/common/clock';
import { ControlConnection } from '../src/persistence';
import { claimReady, queueViews } from '../src/jobs/claim.repository';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';
import { median, percentile } from './lib/stats';

const DUE = 20_000;
const DONE = 500_000;
const BATCH = 16;
const BLOCKS = 5;
const CLAIMS = 40;

const QUEUE = { queue: 'flush', single: false } as const;

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const control = new ControlConnection(database.url, new SystemClock());
  await fill(control);
  const timed = async (statement: {
    text: string;
    values: readonly unknown[];
  }): Promise<number> => {
    const startedMs = performance.now();
    await control.query(statement.text, statement.values);
    return performance.now() - startedMs;
  };
  const claim = claimReady({
    ...QUEUE,
    limit: BATCH,
    leaseMs: 6000,
    worker: 'bench',
    now: null,
  });
  const read = queueViews({ queues: [QUEUE], now: null });
  const bare = { text: 'select 1', values: [] };

  const blocks: { claims: number[]; reads: number[]; bare: number[] }[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    const times = { claims: [] as number[], reads: [] as number[], bare: [] as number[] };
    for (let n = 0; n < CLAIMS; n += 1) {
      times.bare.push(await timed(bare));
      times.reads.push(await timed(read));
      times.claims.push(await timed(claim));
    }
    blocks.push(times);
  }
  const isNoisy = median(blocks.map(({ bare: times }) => percentile(times, 0.99))) > 10;
  report(
    'claim',
    [
      { name: 'select 1, median', value: median(blocks.map((b) => median(b.bare))), unit: 'ms' },
      {
        name: 'the read before a claim, median',
        value: median(blocks.map((b) => median(b.reads))),
        unit: 'ms',
      },
      {
        name: `a claim of ${BATCH}, median`,
        value: median(blocks.map((b) => median(b.claims))),
        unit: 'ms',
        bound: { atMost: 10 },
        isNoisy,
      },
      {
        name: `a claim of ${BATCH}, p99`,
        value: median(blocks.map((b) => percentile(b.claims, 0.99))),
        unit: 'ms',
      },
    ],
    [`${DUE} due and ${DONE} done rows, ${BLOCKS} blocks of ${CLAIMS} claims`],
  );
  await control.close();
  await database.close();
}

/** In pieces, each short enough for the statement timeout of the control connection. */
async function fill(control: ControlConnection): Promise<void> {
  const piece = 50_000;
  for (let from = 0; from < DONE; from += piece) {
    await control.query(
      `insert into job (queue, key, state, first_at, ended_at)
       select 'flush', 'done-' || n, 'done', now(), now() from generate_series($1::int, $2::int) n`,
      [from, from + piece - 1],
    );
  }
  await control.query(
    `insert into job (queue, key, state, first_at, due_at, check_at, quiet_at)
     select 'flush', 'due-' || n, 'open', now(), at, at, now()
     from generate_series(1, $1::int) n, lateral (select now() - n * interval '1 ms' as at) due`,
    [DUE],
  );
  await control.query('analyze job');
}

void main();
