/**
 * Posts large nested JSON with unknown secrets, in its own process. On the message `chat 40` it begins
 * to send 40 requests a second to /api/chat, on `webhook 40` to the Telegram webhook. On `statuses` it
 * stops and responds with the number of responses by status.
 */
import { connect } from 'node:net';

const HOST = process.env['STRANGERS_HOST'] ?? '127.0.0.1';
const PORT = Number(process.env['STRANGERS_PORT']);
const NESTED = '{"a":';
const BYTES = { chat: 4_000_000, webhook: 250_000 };
/** A token of the right form, so that the server has to look it up. */
const TOKEN = 'x'.repeat(43);
/** When this many connections are open, no more are opened: the load is bounded. */
const MOST_OPEN = 20;

type Target = keyof typeof BYTES;

function requestTo(target: Target): Buffer {
  const levels = Math.floor(BYTES[target] / (NESTED.length + 1));
  const body = `${NESTED.repeat(levels)}1${'}'.repeat(levels)}`;
  const [path, secret] =
    target === 'chat'
      ? ['/api/chat', `authorization: Bearer ${TOKEN}`]
      : ['/webhooks/telegram', `x-telegram-bot-api-secret-token: ${TOKEN}`];
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n${secret}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

const statuses: Record<string, number> = {};
let timer: NodeJS.Timeout | undefined;
let open = 0;

function note(status: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

function send(request: Buffer): void {
  if (open >= MOST_OPEN) {
    note('not sent');
    return;
  }
  open += 1;
  let status = 'none';
  const socket = connect(PORT, HOST, () => void socket.write(request));
  socket.on('data', (bytes: Buffer) => {
    const line = /^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1];
    if (line !== undefined) status = line;
  });
  // The server may close before it has read everything.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    open -= 1;
    note(status);
  });
}

process.on('message', (question) => {
  if (question === 'statuses') {
    clearInterval(timer);
    process.send?.(statuses);
    return;
  }
  const [target = 'chat', perSecond = '40'] = String(question).split(' ');
  const request = requestTo(target as Target);
  clearInterval(timer);
  timer = setInterval(
    () => {
      send(request);
    },
    1000 / Number(perSecond),
  );
  process.send?.('begun');
});
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
process.stdout.write('ready {}\n');
