/**
 * How much memory one candidate can make the process use: 120 chat requests with messages of the
 * maximum length, then four reads of the whole conversation at a time, from clients that read the
 * response and from clients that do not. The process is a real one; the kernel counts its peak.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { TestCandidate } from '../test/support/candidate';
import { ServerProcess } from '../test/support/server-process';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';

const REQUESTS = 120;
const MESSAGES = 50;
/** Of two bytes each. */
const MESSAGE_CHARS = 16_000;
const READERS = 4;
const ROUNDS = 5;
const DEAF_MS = 5000;
const MIB = 2 ** 20;
const BOUND_MIB = 400;

const PLACES = [
  '/api/v1/conversation',
  '/api/v1/conversation/mydata',
  '/api/v1/conversation/messages',
] as const;

/** Largest resident memory of the process since it started. */
function peakMiB(pid: number): number {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(match?.[1]) * 1024) / MIB;
}

/** Posts the chat and disconnects as soon as the response's status is there. */
async function post(candidate: TestCandidate, text: string): Promise<number> {
  const leave = new AbortController();
  const messages = Array.from({ length: MESSAGES }, () => ({
    id: randomUUID(),
    role: 'user',
    parts: [{ type: 'text', text }],
  }));
  const response = await fetch(`${candidate.app.url}/api/chat`, {
    method: 'POST',
    headers: candidate.headers,
    body: JSON.stringify({ id: candidate.conversationId, messages }),
    signal: leave.signal,
  });
  leave.abort();
  return response.status;
}

/** Size of the response in bytes; 0 when there was none. */
async function read(candidate: TestCandidate, place: string): Promise<number> {
  try {
    const response = await candidate.get(place);
    return (await response.arrayBuffer()).byteLength;
  } catch {
    return 0;
  }
}

/** Sends the request and never reads the response. */
function askDeaf(candidate: TestCandidate, place: string): net.Socket {
  const { hostname, port } = new URL(candidate.app.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.pause();
  const { authorization = '' } = candidate.headers;
  socket.write(`GET ${place} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`);
  return socket;
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const server = await ServerProcess.serve({ DATABASE_URL: database.url, NODE_ENV: 'production' });
  const quietMiB = peakMiB(server.pid);
  const candidate = await TestCandidate.begin(server.host);
  const statuses = new Map<number, number>();
  for (let n = 0; n < REQUESTS; n += 1) {
    const status = await post(candidate, 'ж'.repeat(MESSAGE_CHARS)).catch(() => 0);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  // Single messages, until the conversation is full.
  for (let n = 0; n < REQUESTS && server.isRunning; n += 1) {
    const response = await candidate
      .send(randomUUID(), 'ж'.repeat(MESSAGE_CHARS))
      .catch(() => null);
    await response?.body?.cancel();
    if (response?.status !== 202 && response?.status !== 503) break;
  }
  const writtenMiB = server.isRunning ? peakMiB(server.pid) : NaN;
  let largestMiB = 0;
  for (let round = 0; round < ROUNDS && server.isRunning; round += 1) {
    for (const place of PLACES) {
      const reads = Array.from({ length: READERS }, () => read(candidate, place));
      largestMiB = Math.max(largestMiB, ...(await Promise.all(reads)).map((size) => size / MIB));
    }
  }
  const deaf = server.isRunning
    ? PLACES.flatMap((place) => Array.from({ length: READERS }, () => askDeaf(candidate, place)))
    : [];
  await new Promise((resolve) => setTimeout(resolve, DEAF_MS));
  const hasSurvived = server.isRunning;
  const readMiB = hasSurvived ? peakMiB(server.pid) : NaN;
  for (const socket of deaf) socket.destroy();
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  report(
    'transcript-attack',
    [
      { name: 'peak memory of the process before', value: quietMiB, unit: 'MiB' },
      { name: 'peak once all was written', value: writtenMiB, unit: 'MiB' },
      {
        name: 'peak once it was read',
        value: readMiB,
        unit: 'MiB',
        bound: { atMost: BOUND_MIB },
      },
      { name: 'largest answer', value: largestMiB, unit: 'MiB' },
      {
        name: 'the process has survived',
        value: hasSurvived ? 1 : 0,
        unit: '',
        bound: { atLeast: 1 },
      },
    ],
    [
      `${REQUESTS} chat requests of ${MESSAGES} messages of ${MESSAGE_CHARS} characters (${counts}), ` +
        `then single messages until one is refused; ${READERS} reads at a time`,
    ],
  );
  await ServerProcess.killAll();
  await database.close();
}

void main();
