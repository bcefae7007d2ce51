/**
 * How much streaming writes to the database: 200 replies of 20 deltas a second on one replica. Counted
 * are the rows and the WAL for each delta while all of them are being written, heartbeats of their jobs
 * included.
 */
import { Client } from 'pg';
import { DELTAS_PER_SECOND, sleep } from './lib/capacity';
import { openBenchDatabase } from './lib/database';
import { EventReaders } from './lib/event-readers';
import { startServer } from './lib/processes';
import { report } from './lib/report';
import { sendMessage } from './lib/send';
import { type Stored, storedBy } from './lib/stored';

const REPLIES = 200;
const AT_A_TIME = 20;
const SECONDS = 15;
/** The first reply must last until the last one has begun and the measurement is over. */
const DELTAS = 60 * DELTAS_PER_SECOND;
/** A connection reports its counts only after it has been idle for a moment. */
const TOLD_MS = 1500;
const SERVER_CPU = 0;

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const server = await startServer<{ url: string; tokens: string[] }>(
    'application.ts',
    {
      DATABASE_URL: database.url,
      BENCH_SESSIONS: String(REPLIES),
      BENCH_DELTAS: String(DELTAS),
      OPENAI_API_KEY: 'bench',
      INTERVIEW_BUFFER_ENABLED: 'false',
      JOB_FLUSH_CONCURRENCY: String(REPLIES),
    },
    SERVER_CPU,
  );
  const { url, tokens } = server.ready;
  const readers = new EventReaders(new URL(url));
  await readers.open('/api/v1/conversation/events', tokens);
  for (let from = 0; from < REPLIES; from += AT_A_TIME) {
    const some = tokens.slice(from, from + AT_A_TIME);
    const sent = await Promise.all(some.map((token) => sendMessage(url, token)));
    if (!sent.every(Boolean)) throw new Error('the server refused a message');
  }
  await sleep(2 * TOLD_MS);
  const client = new Client({ connectionString: database.url, application_name: 'bench' });
  await client.connect();
  readers.forget();
  const before = await storedBy(client);
  const sinceMs = performance.now();
  await sleep(SECONDS * 1000);
  const after = await storedBy(client);
  const streams = readers.reached.size;
  const deltas = (streams * DELTAS_PER_SECOND * (performance.now() - sinceMs)) / 1000;
  const perDelta = (what: keyof Stored): number => (after[what] - before[what]) / deltas;
  report(
    'delta-rows',
    [
      {
        name: 'replies that are being written',
        value: streams,
        unit: '',
        bound: { atLeast: REPLIES },
      },
      {
        name: 'rows written for each delta',
        value: perDelta('rows'),
        unit: '',
        bound: { atMost: 0.1 },
      },
      { name: 'of them pieces of text', value: perDelta('pieces'), unit: '' },
      {
        name: 'of them heartbeats',
        value: perDelta('heartbeats'),
        unit: '',
        bound: { atMost: 0.1 },
      },
      { name: 'WAL records for each delta', value: perDelta('walRecords'), unit: '' },
      { name: 'WAL for each delta', value: perDelta('walBytes'), unit: 'B' },
    ],
    [`${SECONDS} s of ${REPLIES} replies; deltas of 10 characters, ${DELTAS_PER_SECOND} a second`],
  );
  readers.close();
  await client.end();
  await server.stop();
  await database.close();
}

void main();
