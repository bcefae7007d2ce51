/**
 * How much longer another person's edit takes to be ranked while 5,000 pages that one person has
 * imported wait to be read, and that person's board waits to be ranked. Everything is three times as
 * fast as in production: 9 calls a second and a quiet time of 3.3 s, so that the import outlasts the
 * edits. Only ratios within one run count; an edit takes the quiet time, the query and two writes.
 */
import { Client } from 'pg';
import { NotionEdits, sleep } from './lib/notion-edits';
import { openBenchDatabase } from './lib/database';
import { startServer } from './lib/processes';
import { report } from './lib/report';
import { median } from './lib/stats';

const PAGES = 5000;
const ALONE = 5;
const EDITS = 14;
const TIMEOUT_MS = 40_000;
/** The edits during the import stop after this time. */
const MOST_MS = 90_000;
const BOUND = 3;

/** Stores what the intake would store for the events of an import; the fake would send them one by one. */
async function tellOfImport(databaseUrl: string, pageIds: readonly string[], author: string) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into notion_read (page_id, author, turn, asked_at)
     select id, $2, n, clock_timestamp() from unnest($1::uuid[]) with ordinality as p (id, n)`,
    [pageIds, author],
  );
  await client.query(
    `insert into job (queue, key, due_at, first_at)
     values ('notion-read', 'read:next', clock_timestamp(), clock_timestamp())`,
  );
  await client.end();
}

async function main(): Promise<void> {
  const notion = await NotionEdits.open();
  const database = await openBenchDatabase();
  const server = await startServer<{ url: string }>('application.ts', {
    ...notion.env,
    DATABASE_URL: database.url,
  });
  const webhook = `${server.ready.url}/webhooks/notion`;
  notion.server.webhooks.sendTo(webhook);
  const bob = notion.editor('Bob', 8);
  // The first edit also reads the page, the columns and the schema, so it is not measured.
  await notion.edit(bob, TIMEOUT_MS);
  const alone: number[] = [];
  for (let n = 0; n < ALONE; n += 1) alone.push(await notion.edit(bob, TIMEOUT_MS));

  notion.server.webhooks.sendTo(null);
  const ada = notion.editor('Ada', PAGES);
  for (const task of ada.tasks) task.edit({ 'Queue Rank': null });
  notion.server.webhooks.sendTo(webhook);
  notion.server.journal.clear();
  const pageIds = ada.tasks.map(({ id }) => id);
  await tellOfImport(database.url, pageIds, ada.user.id);
  const beganMs = performance.now();
  const during: number[] = [];
  for (let n = 0; n < EDITS && performance.now() - beganMs < MOST_MS; n += 1) {
    // The pauses differ, so that edits meet the other board's runs at different moments.
    await sleep(300 + 970 * (n % 4));
    during.push(await notion.edit(bob, TIMEOUT_MS));
  }
  const { journal } = notion.server;
  const longest = Math.max(...during);
  report(
    'notion-import',
    [
      { name: 'an edit alone, median', value: median(alone), unit: 'ms' },
      { name: 'an edit during the import, median', value: median(during), unit: 'ms' },
      { name: 'an edit during the import, longest', value: longest, unit: 'ms' },
      { name: 'median, over alone', value: median(during) / median(alone), unit: '×' },
      {
        name: 'longest, over alone',
        value: longest / median(alone),
        unit: '×',
        bound: { atMost: BOUND },
      },
      { name: 'edits during the import', value: during.length, unit: '' },
      { name: 'pages read one by one', value: journal.calls('getPage').length, unit: 'calls' },
      { name: 'queries', value: journal.calls('queryDataSource').length, unit: 'calls' },
      { name: 'writes', value: journal.calls('updatePage').length, unit: 'calls' },
    ],
    [`edits in their order, ms: ${during.map((ms) => ms.toFixed(0)).join(', ')}`],
  );
  await server.stop();
  await notion.server.close();
  await database.close();
}

void main();
