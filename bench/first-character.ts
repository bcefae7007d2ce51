/**
 * Time that the application adds to a reply's first visible character. A model server in this
 * process notes when it writes the first character of a reply's text; a reader in this process
 * notes when it sees it. Control: the same model server through a bare pipe. 100 readers are
 * connected, and a reply starts every 50 ms.
 */
import { randomUUID } from 'node:crypto';
import { type ServerResponse, get, request } from 'node:http';
import { startModel } from './lib/bench-model';
import { openBenchDatabase } from './lib/database';
import { startServer } from './lib/processes';
import { report } from './lib/report';
import { median, percentile } from './lib/stats';

const STREAMS = 100;
const EVERY_MS = 50;
const BLOCKS = 5;
/** From the request to the verdict, and from the verdict to the text. */
const THINKING_MS = 30;
/** A candidate's message carries the mark of its reply: the last mark in a model request is the current one. */
const MARK = /mark-[0-9a-f-]{36}/g;
const FIRST = 'Z';

interface Times {
  readonly startedMs: number;
  askedMs?: number;
  writtenMs?: number;
  seenMs?: number;
}
const replies = new Map<string, Times>();

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function chunk(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices })}\n\n`;
}

async function streamReply(body: string, response: ServerResponse): Promise<void> {
  const times = replies.get(body.match(MARK)?.at(-1) ?? '');
  if (times === undefined) throw new Error('a request without a mark');
  times.askedMs = performance.now();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await sleep(THINKING_MS);
  response.write(chunk('{"verdict":"answered","text":"'));
  await sleep(THINKING_MS);
  times.writtenMs = performance.now();
  // A sentence is shown when the next one begins.
  response.write(chunk(`${FIRST}. A`));
  await sleep(THINKING_MS);
  response.end(`${chunk('."}')}${chunk('', 'stop')}data: [DONE]\n\n`);
}

/** Notes when a reader sees the first character of the reply that `current` names. */
function watch(url: string, token: string, current: { mark: string }): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const stream = get(url, { headers, agent: false }, (response) => {
      response.on('data', (data) => {
        const times = replies.get(current.mark);
        if (times !== undefined && /"text":"Z/.test(String(data)))
          times.seenMs ??= performance.now();
      });
      response.once('data', () => {
        resolve(() => stream.destroy());
      });
    });
    stream.once('error', reject);
  });
}

function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  seen?: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      response.on('data', (data) => {
        if (String(data).includes(`"content":"${FIRST}`)) seen?.();
      });
      response.on('end', resolve);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

type Start = (stream: number, mark: string, times: Times) => Promise<void>;

async function block(start: Start): Promise<Times[]> {
  const all: Times[] = [];
  const running: Promise<void>[] = [];
  for (let stream = 0; stream < STREAMS; stream += 1) {
    const mark = `mark-${randomUUID()}`;
    const times: Times = { startedMs: performance.now() };
    replies.set(mark, times);
    all.push(times);
    running.push(start(stream, mark, times));
    await sleep(EVERY_MS);
  }
  await Promise.all(running);
  for (let n = 0; n < 200 && all.some(({ seenMs }) => seenMs === undefined); n += 1) {
    await sleep(EVERY_MS);
  }
  return all;
}

const relayMs = ({ writtenMs = NaN, seenMs = NaN }: Times): number => seenMs - writtenMs;
/** From the candidate's message to the first character, less what the model took. */
const wholeMs = ({ startedMs, askedMs = NaN, writtenMs = NaN, seenMs = NaN }: Times): number =>
  seenMs - startedMs - (writtenMs - askedMs);

async function main(): Promise<void> {
  const model = await startModel(streamReply);
  const database = await openBenchDatabase();
  const server = await startServer<{ url: string; tokens: string[] }>('application.ts', {
    DATABASE_URL: database.url,
    BENCH_SESSIONS: String(STREAMS),
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: model.url,
    INTERVIEW_BUFFER_ENABLED: 'false',
  });
  const pipe = await startServer<{ url: string }>('bare-pipe.ts', { OPENAI_BASE_URL: model.url });
  const { url, tokens } = server.ready;
  const current = tokens.map(() => ({ mark: '' }));
  const readers = await Promise.all(
    tokens.map((token, n) =>
      watch(`${url}/api/v1/conversation/events`, token, current[n] ?? { mark: '' }),
    ),
  );

  const ours: Start = async (stream, mark) => {
    const own = current[stream];
    if (own !== undefined) own.mark = mark;
    await post(
      `${url}/api/v1/conversation/messages`,
      { authorization: `Bearer ${tokens[stream] ?? ''}`, 'content-type': 'application/json' },
      JSON.stringify({ id: mark, text: mark }),
    );
  };
  const bare: Start = (_stream, mark, times) =>
    post(pipe.ready.url, {}, mark, () => {
      times.seenMs ??= performance.now();
    });

  await block(bare);
  await block(ours);
  const blocks: { bare: Times[]; ours: Times[] }[] = [];
  for (let n = 0; n < BLOCKS; n += 1)
    blocks.push({ bare: await block(bare), ours: await block(ours) });

  const added = (of: (times: Times) => number, share: number): number =>
    median(
      blocks.map((b) => percentile(b.ours.map(of), share) - percentile(b.bare.map(of), share)),
    );
  const bareP99 = median(blocks.map((b) => percentile(b.bare.map(relayMs), 0.99)));
  const isNoisy = bareP99 > 10;
  report(
    'first-character',
    [
      {
        name: 'bare pipe, p50',
        value: median(blocks.map((b) => median(b.bare.map(relayMs)))),
        unit: 'ms',
      },
      { name: 'bare pipe, p99', value: bareP99, unit: 'ms' },
      {
        name: 'added between model and reader, p50',
        value: added(relayMs, 0.5),
        unit: 'ms',
        bound: { atMost: 5 },
        isNoisy,
      },
      {
        name: 'added between model and reader, p99',
        value: added(relayMs, 0.99),
        unit: 'ms',
        bound: { atMost: 15 },
        isNoisy,
      },
      {
        name: 'added from message to first character, p50',
        value: added(wholeMs, 0.5),
        unit: 'ms',
      },
      {
        name: 'added from message to first character, p99',
        value: added(wholeMs, 0.99),
        unit: 'ms',
      },
    ],
    [
      `${STREAMS} readers connected, a reply every ${EVERY_MS} ms, ${BLOCKS} blocks; the second pair holds two durable commits, the claim and the model request, without any debounce`,
    ],
  );
  for (const close of readers) close();
  await server.stop();
  await pipe.stop();
  await database.close();
  await model.stop();
}

void main();
