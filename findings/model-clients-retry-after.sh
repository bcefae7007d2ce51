#!/bin/sh
# Clients of model servers: what `Retry-After: 120` and `Retry-After: 2592000` make them do.
#
# Version:  openai 6.49.0 and 7.59.0, groq-sdk 1.6.0, @anthropic-ai/sdk 1.14.0 (Node 20.20).
# Guess:    a 429 with Retry-After is asked again after that time, or fails at once when it is too long;
#           `timeout` and `signal` bound the wait as they bound the request.
# Seen:     1. Two minutes: openai 7 takes no wait above one minute, so it asks all its times within seconds.
#              openai 6 and groq-sdk wait, and meanwhile neither `timeout` nor `signal` ends the call.
#           2. Thirty days, as for a quota of a month: all of them ask at once or within seconds. In openai 6 and
#              groq-sdk the time is too long for a timer of Node, which then takes a millisecond.
# Output:   openai-6: 120 seconds: asks 1 time and waits, even when aborted; 30 days: asks 3 times
#           openai-7: 120 seconds: asks 3 times; 30 days: asks 3 times
#           groq-sdk: 120 seconds: asks 1 time and waits, even when aborted; 30 days: asks 3 times
#           anthropic: 120 seconds: asks 1 time and waits, until aborted; 30 days: asks 3 times
#           timers that were too long for Node: 4
# So:       set `maxRetries: 0` and read the header yourself: no version keeps every time that may be asked for.
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

// The path is /<client>/<seconds>/…
const visits = new Map();
const server = createServer((request, response) => {
  const [, client, seconds] = request.url.split('/');
  visits.set(`${client}/${seconds}`, (visits.get(`${client}/${seconds}`) ?? 0) + 1);
  request.resume();
  response.writeHead(429, { 'retry-after': seconds, 'content-type': 'application/json' });
  response.end('{"error":{"message":"quota"}}');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;

const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello.' }] };
const options = { apiKey: 'none', maxRetries: 2, timeout: 5000 };
const chat = (Client) => (baseURL, signal) => new Client({ ...options, baseURL }).chat.completions.create(request, { signal });
const CLIENTS = {
  'openai-6': chat(OpenAI6),
  'openai-7': chat(OpenAI7),
  'groq-sdk': chat(Groq),
  anthropic: (baseURL, signal) => new Anthropic({ ...options, baseURL }).messages.create(request, { signal }),
};
let overflows = 0;
process.on('warning', ({ name }) => (overflows += name === 'TimeoutOverflowWarning' ? 1 : 0));

/** How often a client asks within 12 seconds, and whether a signal then ends a call that still waits. */
async function look(name, seconds) {
  const stop = new AbortController();
  let isOver = false;
  const call = CLIENTS[name](`${origin}/${name}/${seconds}`, stop.signal);
  call.catch(() => undefined).then(() => (isOver = true));
  for (const end = Date.now() + 12_000; !isOver && Date.now() < end;) await wait(50);
  const asked = visits.get(`${name}/${seconds}`);
  if (isOver) return `asks ${asked} times`;
  stop.abort();
  await wait(2000);
  return `asks ${asked} time and waits, ${isOver ? 'until aborted' : 'even when aborted'}`;
}

const lines = await Promise.all(
  Object.keys(CLIENTS).map(async (name) => `${name}: 120 seconds: ${await look(name, 120)}; 30 days: ${await look(name, 2592000)}`),
);
lines.push(`timers that were too long for Node: ${overflows}`);
for (const line of lines) console.log(line);
const expected = [
  'openai-6: 120 seconds: asks 1 time and waits, even when aborted; 30 days: asks 3 times',
  'openai-7: 120 seconds: asks 3 times; 30 days: asks 3 times',
  'groq-sdk: 120 seconds: asks 1 time and waits, even when aborted; 30 days: asks 3 times',
  'anthropic: 120 seconds: asks 1 time and waits, until aborted; 30 days: asks 3 times',
  'timers that were too long for Node: 4',
];
const isAsSeen = lines.join('\n') === expected.join('\n');
if (!isAsSeen) console.error('the behaviour has changed');
process.exit(isAsSeen ? 0 : 1);
END
node look.mjs 2>warnings.txt || { cat warnings.txt >&2; exit 1; }
