/**
 * Candidates of a server, in a process of their own, over HTTP alone. Requests of the process that started
 * it are JSON:
 *
 *   { "do": "arrive", "url", "invite", "count" }
 *       begins so many interviews by the open link
 *   { "do": "talk", "url", "everyMs", "forMs", "deltas" }
 *       all read their streams, and send a message each, one every `everyMs`; the response says after `forMs`,
 *       and once so many deltas were seen, how late they saw the first and every delta
 *   { "do": "read", "url", "count" }
 *       the first so many open their streams, which stay open
 *   { "do": "write", "url" }
 *       each reader sends a message
 *   { "do": "leave" }
 *       all streams are closed
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EventReaders } from '../lib/event-readers';
import { sendMessage } from '../lib/send';

const EVENTS = '/api/v1/conversation/events';
const AT_A_TIME = 10;
const WAIT_MS = 100;
const MOST_WAITS = 600;

export interface Talked {
  /** Of the first delta of each reply, in ms. */
  readonly first: readonly number[];
  readonly late: readonly number[];
}

interface Request {
  readonly do: 'arrive' | 'talk' | 'read' | 'write' | 'leave';
  readonly url: string;
  readonly invite: string;
  readonly count: number;
  readonly everyMs: number;
  readonly forMs: number;
  readonly deltas: number;
}

/** Of all that have arrived. A server that is started again has another address and the same sessions. */
const tokens: string[] = [];
let readers: EventReaders | undefined;
let reading: readonly string[] = [];

async function post(url: string, token: string | null, body: object): Promise<unknown> {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function arriveOne(url: string, invite: string): Promise<void> {
  const api = `${url}/api/v1`;
  const session = (await post(`${api}/sessions`, null, { invite })) as { sessionToken: string };
  const token = session.sessionToken;
  const shown = await fetch(`${api}/conversation`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { disclosure } = (await shown.json()) as { disclosure: { version: string } };
  const consent = { version: disclosure.version, accepted: true };
  await post(`${api}/conversation/consent`, token, consent);
  await post(`${api}/conversation/profile`, token, { name: 'Ada', contact: 'ada@example.org' });
  tokens.push(token);
}

async function arrive({ url, invite, count }: Request): Promise<void> {
  for (let from = 0; from < count; from += AT_A_TIME) {
    const some = Array.from({ length: Math.min(AT_A_TIME, count - from) });
    await Promise.all(some.map(() => arriveOne(url, invite)));
  }
}

async function read({ url, count }: Request): Promise<EventReaders> {
  readers ??= new EventReaders(new URL(url));
  reading = tokens.slice(0, count);
  await readers.open(EVENTS, reading);
  return readers;
}

async function write({ url }: Request): Promise<void> {
  for (const token of reading) {
    if (!(await sendMessage(url, token))) throw new Error('a message was refused');
  }
}

function leave(): void {
  readers?.close();
  readers = undefined;
}

async function talk(request: Request): Promise<Talked> {
  const { url, everyMs, forMs, deltas } = request;
  const own = await read({ ...request, count: tokens.length });
  const startedMs = performance.now();
  const sent = tokens.map(async (token, n) => {
    await sleep(startedMs + n * everyMs - performance.now());
    if (!(await sendMessage(url, token))) throw new Error('a message was refused');
  });
  await Promise.all(sent);
  await sleep(startedMs + forMs - performance.now());
  // On a busy machine replies end later.
  for (let n = 0; n < MOST_WAITS && own.late.length < deltas; n += 1) await sleep(WAIT_MS);
  const { first, late } = own;
  leave();
  return { first, late };
}

async function perform(request: Request): Promise<unknown> {
  if (request.do === 'arrive') await arrive(request);
  if (request.do === 'talk') return talk(request);
  if (request.do === 'read') await read(request);
  if (request.do === 'write') await write(request);
  if (request.do === 'leave') leave();
  return null;
}

process.on('message', (text) => {
  void perform(JSON.parse(String(text)) as Request).then(
    (done) => process.send?.({ done }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
// The bench that started it is gone.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
process.stdout.write('ready {}\n');
