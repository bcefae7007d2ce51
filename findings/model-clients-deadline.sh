#!/bin/sh
# Clients of model servers: a deadline in the middle of a reply makes half a reply look whole.
#
# Version:  openai 6.49.0 and 7.59.0, groq-sdk 1.6.0, @anthropic-ai/sdk 1.14.0 (Node 20.20).
# Guess:    1. A loop over a stream whose `signal` ends it, with AbortSignal.timeout for one, throws.
#           2. `timeout` bounds the request, so a body that comes later than that is an error.
# Seen:     1. The loop ends as it does after the last piece, without an error, in all of them.
#           2. In openai 6, groq-sdk and Anthropic's the timeout ends with the headers: a late body is a
#              success. Only openai 7 bounds the body too.
# Output:   openai 6: 1. "Half of" and no error; 2. a late body is a success
#           openai 7: 1. "Half of" and no error; 2. a late body is an error
#           groq-sdk: 1. "Half of" and no error; 2. a late body is a success
#           @anthropic-ai/sdk: 1. "Half of" and no error; 2. a late body is a success
# So:       look at `signal.aborted` after the loop, or ask for the finish reason; bound the whole call yourself.
#
# Installs into a temporary folder. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent \
  openai-6@npm:openai@6.49.0 openai-7@npm:openai@7.59.0 groq-sdk@1.6.0 @anthropic-ai/sdk@1.14.0
cat >look.mjs <<'END'
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import OpenAI6 from 'openai-6';
import OpenAI7 from 'openai-7';
import Groq from 'groq-sdk';
import Anthropic from '@anthropic-ai/sdk';

const TIMEOUT_MS = 2000;
const LATE_MS = 5000;
let isLate = false;

const claude = { id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const wholeOf = (isClaude) =>
  isClaude
    ? { ...claude, content: [{ type: 'text', text: 'whole' }] }
    : { id: 'c', object: 'chat.completion', created: 1, model: 'm', usage, choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }] };
const firstEvents = (isClaude) =>
  isClaude
    ? [
        { type: 'message_start', message: { ...claude, content: [], stop_reason: null } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half of' } },
      ]
    : [{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'Half of' }, finish_reason: null }] }];

// A stream stops after its first words. A whole reply begins at once; when `isLate`, its end comes after LATE_MS.
const server = createServer(async (request, response) => {
  let body = '';
  for await (const bytes of request) body += bytes;
  const isClaude = request.url.endsWith('/messages');
  if (JSON.parse(body).stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of firstEvents(isClaude)) response.write(`${isClaude ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
    return;
  }
  const json = JSON.stringify(wholeOf(isClaude));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(json.slice(0, 20));
  if (isLate) await wait(LATE_MS);
  response.end(json.slice(20));
});
setTimeout(() => process.exit(1), 100_000).unref();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;

const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello.' }] };
const options = { apiKey: 'none', maxRetries: 0 };
const chat = (client) => ({
  whole: async (timeout) => (await client.chat.completions.create(request, { timeout })).choices[0].message.content,
  async *pieces(signal) {
    for await (const one of await client.chat.completions.create({ ...request, stream: true }, { signal })) yield one.choices[0].delta.content;
  },
});
const anthropic = new Anthropic({ ...options, baseURL: origin });
const CLIENTS = {
  'openai 6': chat(new OpenAI6({ ...options, baseURL: origin })),
  'openai 7': chat(new OpenAI7({ ...options, baseURL: origin })),
  'groq-sdk': chat(new Groq({ ...options, baseURL: origin })),
  '@anthropic-ai/sdk': {
    whole: async (timeout) => (await anthropic.messages.create(request, { timeout })).content[0].text,
    async *pieces(signal) {
      for await (const event of await anthropic.messages.create({ ...request, stream: true }, { signal })) {
        if (event.type === 'content_block_delta') yield event.delta.text;
      }
    },
  },
};

/** What a loop has read when the deadline comes in the middle, and how it ends. */
async function readUntilDeadline(client) {
  const stop = new AbortController();
  let text = '';
  try {
    for await (const piece of client.pieces(stop.signal)) {
      text += piece;
      setTimeout(() => stop.abort(new DOMException('Too late', 'TimeoutError')), 100);
    }
    return `"${text}" and no error`;
  } catch {
    return `"${text}" and an error`;
  }
}

const lines = [];
for (const [name, client] of Object.entries(CLIENTS)) {
  isLate = false;
  await client.whole(60_000);
  isLate = true;
  const body = await client.whole(TIMEOUT_MS).then(() => 'a success', () => 'an error');
  lines.push(`${name}: 1. ${await readUntilDeadline(client)}; 2. a late body is ${body}`);
  console.log(lines.at(-1));
}
const expected = [
  'openai 6: 1. "Half of" and no error; 2. a late body is a success',
  'openai 7: 1. "Half of" and no error; 2. a late body is an error',
  'groq-sdk: 1. "Half of" and no error; 2. a late body is a success',
  '@anthropic-ai/sdk: 1. "Half of" and no error; 2. a late body is a success',
];
const isAsSeen = lines.join('\n') === expected.join('\n');
if (!isAsSeen) console.error('the behaviour has changed');
process.exit(isAsSeen ? 0 : 1);
END
node look.mjs
