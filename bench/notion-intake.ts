/**
 * Automations of Notion in a burst: 2,000 events in 2 s, over 50 boards and all on one board. The
 * application stores them, and another flow of the same process commits every 10 ms meanwhile: what
 * is measured is how many are refused, how long each takes, and how long the other flow waits for a
 * connection of the pool and its commit. Boards are marked, not ranked.
 */
import { randomUUID } from 'node:crypto';
import { NotionServer } from '../test/support/notion';
import { commit, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';
import { type Figure, report } from './lib/report';
import { percentile } from './lib/stats';

const EVENTS = 2000;
const SPAN_MS = 2000;
const OTHER_EVERY_MS = 10;
const SECRET = 'a-secret-of-the-bench-that-is-long-enough';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Target {
  readonly url: string;
  readonly dataSourceId: string;
}

function bodyOf(userId: string, dataSourceId: string): string {
  const assignees = { id: 'a', type: 'people', people: [{ id: userId }] };
  return JSON.stringify({
    source: { type: 'automation', event_id: randomUUID(), user_id: userId, attempt: 1 },
    data: {
      object: 'page',
      id: randomUUID(),
      parent: { type: 'data_source_id', data_source_id: dataSourceId },
      properties: { Assignee: assignees },
    },
  });
}

/** Answers how long each took, and how many were refused. */
async function burst(users: readonly string[], { url, dataSourceId }: Target) {
  const startMs = performance.now();
  const sent = Array.from({ length: EVENTS }, async (_, n) => {
    await sleep(startMs + (n * SPAN_MS) / EVENTS - performance.now());
    const body = bodyOf(users[n % users.length] ?? '', dataSourceId);
    const sentMs = performance.now();
    const { status } = await fetch(`${url}/webhooks/notion/automation`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-colloquy-secret': SECRET },
      body,
    });
    return { ms: performance.now() - sentMs, isRefused: status !== 200 };
  });
  return Promise.all(sent);
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const notion = await NotionServer.start();
  const dataSourceId = notion.workspace.board().id;
  const app = await openApplication(database.url, {
    NOTION_TOKEN: notion.token,
    NOTION_API_URL: notion.url,
    NOTION_DATA_SOURCE_ID: dataSourceId,
    NOTION_AUTOMATION_SECRET: SECRET,
    NOTION_SWEEP_SHARE: '0',
    NOTION_LOGGING: 'false',
  });
  await app.listen(0, '127.0.0.1');
  const target = { url: await app.getUrl(), dataSourceId };
  const figures: Figure[] = [];
  for (const boards of [50, 1]) {
    const others: number[] = [];
    const over = new AbortController();
    const other = (async () => {
      while (!over.signal.aborted) {
        const startMs = performance.now();
        await commit(app, (tx) => tx.query('select 1'));
        others.push(performance.now() - startMs);
        await sleep(OTHER_EVERY_MS);
      }
    })();
    const users = Array.from({ length: boards }, () => randomUUID());
    const sent = await burst(users, target);
    over.abort();
    await other;
    const marks = await commit(app, (tx) =>
      tx.query<{ count: number }>(
        `select count(*)::int as count from task
         where lane = 'notion-sync' and key = any($1::text[])`,
        [users],
      ),
    );
    const times = sent.map(({ ms }) => ms);
    const refused = sent.filter(({ isRefused }) => isRefused).length;
    const on = boards === 1 ? 'one board' : `${boards} boards`;
    figures.push(
      { name: `refused, ${on}`, value: refused, unit: 'events', bound: { atMost: 0 } },
      { name: `rows of boards, ${on}`, value: marks[0]?.count ?? 0, unit: 'rows' },
      { name: `an event, p50, ${on}`, value: percentile(times, 0.5), unit: 'ms' },
      { name: `an event, p99, ${on}`, value: percentile(times, 0.99), unit: 'ms' },
      {
        name: `another flow's commit, p99, ${on}`,
        value: percentile(others, 0.99),
        unit: 'ms',
        bound: { atMost: 50 },
      },
      { name: `another flow's commit, longest, ${on}`, value: Math.max(...others), unit: 'ms' },
    );
  }
  report('notion-intake', figures, ['sender and application share one process']);
  await app.close();
  await notion.close();
  await database.close();
}

void main();
