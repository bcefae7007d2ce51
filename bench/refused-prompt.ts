/**
 * How much longer others wait for their replies while every message of one candidate is refused: the
 * model server responds with 403 to whatever contains <script>, as a firewall would. Phases without
 * and with that candidate alternate on one application; the times are from the message to the end of
 * the reply. After its retries a refused conversation gets a reply that needs no model, so the
 * candidate sends the next message until the phase ends.
 */
import { randomUUID } from 'node:crypto';
import { type ServerResponse, get } from 'node:http';
import { startModel } from './lib/bench-model';
import { openBenchDatabase } from './lib/database';
import { startServer } from './lib/processes';
import { report } from './lib/report';
import { median, percentile } from './lib/stats';

const READERS = 60;
/** The others together send one message in this time, each time from another conversation. */
const EVERY_MS = 100;
const PHASE_MS = 12_000;
const PAIRS = 3;
const THINKING_MS = 150;
const TIMEOUT_MS = 30_000;
const REFUSED_TEXT = '<script>alert(1)</script>';
const BOUND = 1.2;

interface Candidate {
  readonly token: string;
  /** Called at the end of the reply. */
  onReply: (() => void) | null;
  readonly close: () => void;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let refused = 0;

async function respond(body: string, response: ServerResponse): Promise<void> {
  if (body.includes(REFUSED_TEXT)) {
    refused += 1;
    response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Forbidden</html>');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await sleep(THINKING_MS);
  const choices = (content: string, finish: string | null = null): string =>
    `data: ${JSON.stringify({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    })}\n\n`;
  response.write(choices('{"verdict":"answered","text":"Please tell me more."}'));
  response.end(`${choices('', 'stop')}data: [DONE]\n\n`);
}

/** A candidate whose page is open. */
function connect(url: string, token: string): Promise<Candidate> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const stream = get(`${url}/api/v1/conversation/events`, { headers, agent: false }, (events) => {
      const candidate: Candidate = { token, onReply: null, close: () => stream.destroy() };
      let text = '';
      events.on('data', (data) => {
        text += String(data);
        if (/event: finish|"type":"finish"/.test(text)) {
          const { onReply } = candidate;
          candidate.onReply = null;
          onReply?.();
        }
        text = text.slice(text.lastIndexOf('\n') + 1);
      });
      events.once('data', () => {
        resolve(candidate);
      });
    });
    stream.once('error', reject);
  });
}

/** From the message to the end of its reply; null when none came in time. */
async function ask(url: string, candidate: Candidate, text: string): Promise<number | null> {
  const startedMs = performance.now();
  const replied = new Promise<number>((resolve) => {
    candidate.onReply = () => {
      resolve(performance.now() - startedMs);
    };
  });
  const response = await fetch(`${url}/api/v1/conversation/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${candidate.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: randomUUID(), text }),
  });
  await response.arrayBuffer();
  if (response.status !== 202) throw new Error(`message: ${response.status}`);
  return Promise.race([replied, sleep(TIMEOUT_MS).then(() => null)]);
}

/** Times of the others' replies in one phase; a reply that never came counts as the timeout. */
async function phase(
  url: string,
  others: readonly Candidate[],
  refusedOne: Candidate | undefined,
): Promise<number[]> {
  const endMs = performance.now() + PHASE_MS;
  const isOver = (): boolean => performance.now() >= endMs;
  const sendRefused = async (): Promise<void> => {
    while (refusedOne !== undefined && !isOver()) {
      await Promise.race([
        ask(url, refusedOne, REFUSED_TEXT),
        sleep(Math.max(0, endMs - performance.now())),
      ]);
    }
  };
  const refusing = sendRefused();
  const asked: Promise<number | null>[] = [];
  for (let n = 0; !isOver(); n += 1) {
    const candidate = others[n % others.length];
    if (candidate?.onReply === null) asked.push(ask(url, candidate, 'Rye.'));
    await sleep(EVERY_MS);
  }
  const times = (await Promise.all(asked)).map((ms) => ms ?? TIMEOUT_MS);
  await refusing;
  return times;
}

async function main(): Promise<void> {
  const model = await startModel(respond);
  const database = await openBenchDatabase();
  const server = await startServer<{ url: string; tokens: string[] }>('application.ts', {
    DATABASE_URL: database.url,
    BENCH_SESSIONS: String(READERS + PAIRS),
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: model.url,
    INTERVIEW_BUFFER_ENABLED: 'false',
  });
  const { url, tokens } = server.ready;
  const candidates = await Promise.all(tokens.map((token) => connect(url, token)));
  const [others, refusedOnes] = [candidates.slice(0, READERS), candidates.slice(READERS)];
  await phase(url, others, undefined);
  const pairs: { without: number[]; withIt: number[] }[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const without = await phase(url, others, undefined);
    pairs.push({ without, withIt: await phase(url, others, refusedOnes[pair]) });
  }
  const p95 = (of: 'without' | 'withIt'): number =>
    median(pairs.map((pair) => percentile(pair[of], 0.95)));
  report(
    'refused-prompt',
    [
      { name: "others' replies without, p95", value: p95('without'), unit: 'ms' },
      { name: "others' replies beside a refused prompt, p95", value: p95('withIt'), unit: 'ms' },
      {
        name: 'p95 beside a refused prompt, times that without',
        value: median(
          pairs.map(({ without, withIt }) => percentile(withIt, 0.95) / percentile(without, 0.95)),
        ),
        unit: '',
        bound: { atMost: BOUND },
      },
      { name: 'requests that the firewall refused', value: refused, unit: '' },
    ],
    [
      `${PAIRS} pairs of phases of ${PHASE_MS / 1000} s, one message every ${EVERY_MS} ms from ${READERS} conversations; the model takes ${THINKING_MS} ms`,
    ],
  );
  for (const { close } of candidates) close();
  await server.stop();
  await database.close();
  await model.stop();
}

void main();
