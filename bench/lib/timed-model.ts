import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A moment as it is written into a reply: a mark, then milliseconds with one decimal. */
const MOMENT = /@(\d+\.\d)/g;

/** The latest moment that a piece of a reply's text tells; undefined: it tells none. */
export function lastMoment(text: string): number | undefined {
  const last = [...text.matchAll(MOMENT)].at(-1);
  return last === undefined ? undefined : Number(last[1]);
}

function chunk(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices })}\n\n`;
}

async function stream(response: ServerResponse, deltas: number, everyMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk('{"verdict":"answered","text":"'));
  const startedMs = performance.now();
  for (let n = 0; n < deltas && !response.destroyed; n += 1) {
    await sleep(startedMs + n * everyMs - performance.now());
    response.write(chunk(` @${performance.now().toFixed(1)} `));
  }
  response.end(`${chunk('end."}')}${chunk('', 'stop')}data: [DONE]\n\n`);
}

/** A model server in this process whose replies are made of the moments of their writing. */
export async function startTimedModel(options: {
  deltas: number;
  everyMs: number;
}): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => void stream(response, options.deltas, options.everyMs));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
