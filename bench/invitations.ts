/**
 * 1,000 and then 10,000 rows are imported as CSV over the API, with the worker in this process. Compared: the time a
 * row takes, the memory of the process, and how long a candidate's reads take beside the large import and
 * without one. Hashing a PIN takes 40 ms on purpose, so the large import takes some minutes.
 */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { JobWorker } from '../src/jobs';
import { makeConversations, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';
import { percentile } from './lib/stats';

const SMALL = 1_000;
const LARGE = 10_000;
const LOOK_MS = 250;
const READ_EACH_MS = 50;
/** How long a candidate's reads are measured without an import. */
const ALONE_MS = 60_000;
const ADMIN_TOKEN = 'a-token-of-the-bench-with-enough-characters';
const MB = 1024 * 1024;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Imports so many rows, and returns what a row took and how far the memory grew. */
async function importRows(
  app: NestFastifyApplication,
  { slug, count }: { readonly slug: string; readonly count: number },
): Promise<{ rowMs: number; grownMb: number }> {
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  const rows = Array.from(
    { length: count },
    (_, n) => `Person ${n},person${n}@example.org,id-${count}-${n}`,
  );
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const began = performance.now();
  const accepted = await app.inject({
    method: 'POST',
    url: `/api/v1/vacancies/${slug}/invitation-imports`,
    headers: { authorization, 'content-type': 'text/csv' },
    payload: `name,email,externalId\n${rows.join('\n')}\n`,
  });
  if (accepted.statusCode !== 202) throw new Error(accepted.body);
  const { id } = accepted.json() as { id: string };
  let most = before;
  for (;;) {
    await pause(LOOK_MS);
    most = Math.max(most, process.memoryUsage.rss());
    const looked = await app.inject({
      url: `/api/v1/invitation-imports/${id}`,
      headers: { authorization },
    });
    const { state, created } = looked.json() as { state: string; created: number };
    if (state !== 'finished') continue;
    if (created !== count) throw new Error(`${String(created)} of ${String(count)} rows`);
    return { rowMs: (performance.now() - began) / count, grownMb: (most - before) / MB };
  }
}

/** How long each read of a candidate takes, until `isOver`. */
async function readAs(
  app: NestFastifyApplication,
  { token, isOver }: { readonly token: string; readonly isOver: () => boolean },
): Promise<number[]> {
  const took: number[] = [];
  while (!isOver()) {
    const began = performance.now();
    const headers = { authorization: `Bearer ${token}` };
    await app.inject({ url: '/api/v1/conversation', headers });
    took.push(performance.now() - began);
    await pause(READ_EACH_MS);
  }
  return took;
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const app = await openApplication(database.url, { ADMIN_TOKEN });
  await makeConversations(app, 1);
  app.get(JobWorker, { strict: false }).start();
  const listed = await app.inject({
    url: '/api/v1/vacancies',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  const { items } = listed.json() as { items: { slug: string; openLink: string }[] };
  const { slug = '', openLink = '' } = items[0] ?? {};
  const invite = openLink.split('/').at(-1);
  const begun = await app.inject({ method: 'POST', url: '/api/v1/sessions', payload: { invite } });
  const { sessionToken: token } = begun.json() as { sessionToken: string };

  const small = await importRows(app, { slug, count: SMALL });
  const endMs = performance.now() + ALONE_MS;
  const alone = await readAs(app, { token, isOver: () => performance.now() > endMs });
  let isOver = false;
  const reading = readAs(app, { token, isOver: () => isOver });
  const large = await importRows(app, { slug, count: LARGE });
  isOver = true;
  const beside = await reading;
  report(
    'invitations',
    [
      { name: 'a row of 1,000', value: small.rowMs, unit: 'ms' },
      { name: 'a row of 10,000', value: large.rowMs, unit: 'ms' },
      {
        name: 'a row of 10,000 against one of 1,000',
        value: large.rowMs / small.rowMs,
        unit: '×',
        bound: { atMost: 1.1 },
      },
      { name: 'memory of the process', value: large.grownMb, unit: 'MB', bound: { atMost: 100 } },
      { name: "a candidate's read alone, p99", value: percentile(alone, 0.99), unit: 'ms' },
      { name: 'the same beside the import, p99', value: percentile(beside, 0.99), unit: 'ms' },
      {
        name: 'beside the import against alone',
        value: percentile(beside, 0.99) / percentile(alone, 0.99),
        unit: '×',
        bound: { atMost: 1.3 },
      },
    ],
    [`${String(alone.length)} reads alone, ${String(beside.length)} beside the import`],
  );
  await app.close();
  await database.close();
}

void main();
