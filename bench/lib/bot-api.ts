import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BOT } from './telegram';

/** One message that the bot sent. */
export interface SentMessage {
  readonly chatId: number;
  readonly text: string;
  readonly atMs: number;
}

/**
 * A Bot API in this process: it accepts everything at once, checks nothing and has no limits. It is no
 * `Listener`, because its connections stay open between two calls of a bench, as those of the real one do.
 */
export interface BotApiServer {
  readonly url: string;
  readonly sent: readonly SentMessage[];
  stop(): void;
}

const METHOD = /\/bot[^/]+\/(\w+)/;
const ME = { id: BOT.id, is_bot: true, first_name: 'Bench', username: BOT.name };

interface Params {
  readonly chat_id?: number | string;
  readonly text?: string;
}

export async function startBotApi(): Promise<BotApiServer> {
  const sent: SentMessage[] = [];
  const resultOf = (method: string, params: Params): unknown => {
    if (method === 'getMe') return ME;
    if (method !== 'sendMessage') return true;
    const [chatId, text] = [Number(params.chat_id), params.text ?? ''];
    sent.push({ chatId, text, atMs: performance.now() });
    const chat = { id: chatId, type: 'private', first_name: 'Ada' };
    return { message_id: 1_000_000 + sent.length, date: 0, chat, from: ME, text };
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes) => (body += String(bytes)));
    request.on('end', () => {
      const method = METHOD.exec(request.url ?? '')?.[1] ?? '';
      const result = resultOf(method, (body === '' ? {} : JSON.parse(body)) as Params);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: true, result }));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
