/**
 * A model server with the chat completions protocol. A reply has BENCH_DELTAS pieces, 20 a second; the
 * text of each is the time at which it was due. The first piece opens the JSON object that an interview
 * expects.
 */
import type { ServerResponse } from 'node:http';
import { startModel } from '../lib/bench-model';
import { momentText } from '../lib/moments';

const EVERY_MS = 50;
const DELTAS = Number(process.env['BENCH_DELTAS']);
/** The other fields of OpenAI's events. */
const EVENT = {
  id: 'chatcmpl-0000000000000000000000000000',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'timed',
  system_fingerprint: 'fp_0000000000',
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function event(content: string, finish_reason: string | null = null): string {
  const choice = { index: 0, delta: { content }, logprobs: null, finish_reason };
  return `data: ${JSON.stringify({ ...EVENT, choices: [choice] })}\n\n`;
}

async function streamReply(_body: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event('{"verdict":"answered","text":"'));
  const startedMs = performance.now();
  for (let n = 0; n < DELTAS && !response.destroyed; n += 1) {
    const dueMs = startedMs + n * EVERY_MS;
    await sleep(dueMs - performance.now());
    response.write(event(momentText(dueMs)));
  }
  response.end(`${event('end."}', 'stop')}data: [DONE]\n\n`);
}

void startModel(streamReply).then(({ url }) => {
  process.stdout.write(`ready ${JSON.stringify({ url })}\n`);
});
// The bench that started it is gone.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
