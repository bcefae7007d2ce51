/**
 * Writers of conversation metadata on a small pool: the optimistic lock (ours) against
 * `select for update`, and against reading and writing the whole value with neither, which loses
 * updates. Each update writes a key of its own: a missing key at the end is a lost update.
 */
import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { SystemClock } from '../src/common/clock';
import { Metrics } from '../src/common/metrics';
import { type Tx, UnitOfWorkMetrics, UnitOfWorkFactory } from '../src/common/uow';
import { MetadataService } from '../src/interview';
import { createDataSource } from '../src/persistence';
import { MetadataRepository } from '../src/interview/metadata/metadata.repository';
import { openBenchDatabase } from './lib/database';
import { type Figure, report } from './lib/report';
import { median } from './lib/stats';

const WRITERS = 50;
const UPDATES = 10;
const POOL = 5;
const BLOCKS = 5;
/** No writer can meet more conflicts than the others have updates. */
const ENOUGH = WRITERS * UPDATES;

type Update = Readonly<Record<string, unknown>>;
/** Returns whether the writer was told that the update is stored. */
type Write = (id: string, update: Update) => Promise<boolean>;

interface Outcome {
  readonly perSecond: number;
  readonly lost: number;
  readonly refused: number;
}

const WAYS = ['ours', 'pessimistic', 'naive'] as const;
type Way = (typeof WAYS)[number];
type Block = Record<Way, Outcome>;

/** Reads the whole value and writes it back with the update in it. */
function readModifyWrite(units: UnitOfWorkFactory, lock: 'for update' | ''): Write {
  const work = async (tx: Tx, id: string, update: Update): Promise<void> => {
    const [row] = await tx.query<{ metadata: object }>(
      `select metadata from conversation where id = $1 ${lock}`,
      [id],
    );
    await tx.query(
      `update conversation set metadata = $2, metadata_version = metadata_version + 1,
         updated_at = clock_timestamp() where id = $1`,
      [id, JSON.stringify({ ...row?.metadata, ...update })],
    );
  };
  return async (id, update) => {
    await units.run('metadata', (uow) => uow.commit('bench', (tx) => work(tx, id, update)));
    return true;
  };
}

async function makeConversations(dataSource: DataSource, count: number): Promise<string[]> {
  const rows = await dataSource.query<{ id: string }[]>(
    `insert into conversation (id, vacancy_id, candidate_id, language, plan, status, state)
     select gen_random_uuid(), v.id, c.id, 'en', '{}', 'active', '{}'
     from vacancy v, candidate c, generate_series(1, $1) returning conversation.id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/** Runs all writers together, each on its share of new conversations. */
async function run(
  dataSource: DataSource,
  write: Write,
  conversations: number,
  writers = WRITERS,
): Promise<Outcome> {
  const ids = await makeConversations(dataSource, conversations);
  const stored: string[] = [];
  const startedMs = performance.now();
  const writer = async (_: unknown, n: number): Promise<void> => {
    for (let update = 0; update < UPDATES; update += 1) {
      const key = `writer ${n} update ${update}`;
      if (await write(ids[n % ids.length] ?? '', { [key]: update })) stored.push(key);
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  const seconds = (performance.now() - startedMs) / 1000;
  const found = await dataSource.query<{ key: string }[]>(
    'select jsonb_object_keys(metadata) as key from conversation where id = any($1)',
    [ids],
  );
  const keys = new Set(found.map(({ key }) => key));
  return {
    perSecond: stored.length / seconds,
    lost: stored.filter((key) => !keys.has(key)).length,
    refused: writers * UPDATES - stored.length,
  };
}

async function blocksOf(
  dataSource: DataSource,
  ways: Record<Way, Write>,
  conversations: number,
): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const way of WAYS) await run(dataSource, ways[way], conversations);
  for (let n = 0; n < BLOCKS; n += 1) {
    // Each takes every place in the order, because the machine's speed varies.
    const order = [...WAYS.slice(n % WAYS.length), ...WAYS.slice(0, n % WAYS.length)];
    const outcomes = new Map<Way, Outcome>();
    for (const way of order) outcomes.set(way, await run(dataSource, ways[way], conversations));
    blocks.push(Object.fromEntries(outcomes) as Block);
  }
  return blocks;
}

function figures(where: string, blocks: readonly Block[]): Figure[] {
  const rate = (way: Way): number => median(blocks.map((block) => block[way].perSecond));
  const lost = (way: Way): number => blocks.reduce((sum, block) => sum + block[way].lost, 0);
  const unit = 'updates/s';
  const all = { unit: `of ${BLOCKS * WRITERS * UPDATES}` };
  const ratio = median(
    blocks.map(({ ours, pessimistic }) => ours.perSecond / pessimistic.perSecond),
  );
  return [
    { name: `${where}: naive read-modify-write`, value: rate('naive'), unit },
    { name: `${where}: select for update`, value: rate('pessimistic'), unit },
    { name: `${where}: optimistic (ours)`, value: rate('ours'), unit },
    { name: `${where}: optimistic over select for update`, value: ratio, unit: '×' },
    { name: `${where}: lost by the naive one`, value: lost('naive'), ...all },
    { name: `${where}: lost by select for update`, value: lost('pessimistic'), ...all },
    { name: `${where}: lost by ours`, value: lost('ours'), ...all, bound: { atMost: 0 } },
  ];
}

/** Writers of one conversation that never pause, with the default number of retries. */
async function refusalsByDefault(
  dataSource: DataSource,
  store: MetadataService,
  writers: number,
): Promise<Figure> {
  let refused = 0;
  const write: Write = (id, update) => store.updateConversationMetadata(id, update);
  for (let n = 0; n < BLOCKS; n += 1) refused += (await run(dataSource, write, 1, writers)).refused;
  return {
    name: `one conversation, ${writers} writers, 3 retries: refused`,
    value: (100 * refused) / (BLOCKS * writers * UPDATES),
    unit: '%',
  };
}

async function main(): Promise<void> {
  // Refusals are counted here; their log lines would only fill the terminal.
  Logger.overrideLogger(false);
  const database = await openBenchDatabase();
  // Fifty writers queue for five connections for longer than a request would be allowed to.
  const dataSource = createDataSource({ url: database.url, poolSize: POOL, poolWaitMs: 60_000 });
  await dataSource.initialize();
  await dataSource.query(
    `insert into vacancy (id, slug, language, title, company, owner, plan, open_token)
     values ($1, 's', 'en', 't', 'c', '{}', '{}', 'o')`,
    [randomUUID()],
  );
  await dataSource.query('insert into candidate (id) values ($1)', [randomUUID()]);
  const clock = new SystemClock();
  const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
  const store = new MetadataService(units, new MetadataRepository(), clock);
  const ways: Record<Way, Write> = {
    naive: readModifyWrite(units, ''),
    pessimistic: readModifyWrite(units, 'for update'),
    ours: (id, update) => store.updateConversationMetadata(id, update, { maxRetries: ENOUGH }),
  };

  const contended = await blocksOf(dataSource, ways, 1);
  const apart = await blocksOf(dataSource, ways, WRITERS);
  const refusals: Figure[] = [];
  for (const writers of [3, 10, WRITERS]) {
    refusals.push(await refusalsByDefault(dataSource, store, writers));
  }
  report(
    'metadata',
    [...figures('one conversation', contended), ...figures('one each', apart), ...refusals],
    [
      `${WRITERS} writers × ${UPDATES} updates, pool of ${POOL}, ${BLOCKS} blocks; medians, lost updates in sum`,
      `ours with up to ${ENOUGH} retries, where not said otherwise`,
    ],
  );
  await dataSource.destroy();
  await database.close();
}

void main();
