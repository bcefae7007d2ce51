#!/bin/sh
# Event streams: three clients count an event's `id` before the event is whole, and so lose its data when cut.
#
# Version:  @microsoft/fetch-event-source 2.0.1, eventsource 2.0.2, extended-eventsource 2.1.0; beside them
#           eventsource 3.0.7 and 4.1.1, eventsource-client 1.2.0, launchdarkly-eventsource 2.2.0 (Node 20.20).
# Guess:    an event counts when the blank line after it has come, so a client that is cut before it comes back
#           with the id of the event before, and a server that resumes after that id loses nothing.
# Seen:     the first three take over the id as soon as its line is read. Cut between `id: 2` and `data:`, they
#           drop the half event, as the standard says, and then ask for what comes after 2.
# Output:   @microsoft/fetch-event-source 2.0.1: comes back with 2, has read text 1, text 3
#           eventsource 2.0.2: comes back with 2, has read text 1, text 3
#           extended-eventsource 2.1.0: comes back with 2, has read text 1, text 3
#           eventsource 3.0.7: comes back with 1, has read text 1, text 2, text 3, and so do the others
# So:       send `id` as the last line of an event, which leaves a gap of one byte, and number the contents too.
#
# Installs into a temporary folder. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent \
  @microsoft/fetch-event-source@2.0.1 extended-eventsource@2.1.0 eventsource-client@1.2.0 \
  launchdarkly-eventsource@2.2.0 eventsource-2@npm:eventsource@2.0.2 eventsource-3@npm:eventsource@3.0.7 \
  eventsource-4@npm:eventsource@4.1.1
cat >look.mjs <<'END_OF_LOOK'
import { createServer } from 'node:http';
import { once } from 'node:events';

/** The fields of an event may come in any order. */
const EVENTS = [1, 2, 3].map((id) => `id: ${id}\ndata: text ${id}\n\n`);
const CUT_AFTER = EVENTS[0].length + 'id: 2\n'.length;
const visits = new Map();

// Resumes after the id that a client names. The first connection of each client ends inside the second event.
const server = createServer((request, response) => {
  const ids = visits.get(request.url) ?? [];
  visits.set(request.url, ids);
  const id = Number(request.headers['last-event-id'] ?? 0);
  ids.push(id);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('retry: 100\n');
  const rest = EVENTS.slice(id).join('');
  if (ids.length > 1) response.write(rest);
  else response.write(rest.slice(0, CUT_AFTER), () => setTimeout(() => response.destroy(), 200));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const follow = (source, take) => {
  source.onerror = () => undefined;
  source.onmessage = ({ data }) => take(data);
  return () => source.close();
};
const CLIENTS = {
  async '@microsoft/fetch-event-source 2.0.1'() {
    globalThis.window = globalThis;
    globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
    const { fetchEventSource } = (await import('@microsoft/fetch-event-source')).default;
    return (url, take) => {
      const stop = new AbortController();
      void fetchEventSource(url, { signal: stop.signal, onmessage: ({ data }) => data && take(data) });
      return () => stop.abort();
    };
  },
  async 'eventsource 2.0.2'() {
    const { default: EventSource } = await import('eventsource-2');
    return (url, take) => follow(new EventSource(url), take);
  },
  async 'extended-eventsource 2.1.0'() {
    const { EventSource } = await import('extended-eventsource');
    return (url, take) => follow(new EventSource(url, { disableLogger: true }), take);
  },
  async 'eventsource 3.0.7'() {
    const { EventSource } = await import('eventsource-3');
    return (url, take) => follow(new EventSource(url), take);
  },
  async 'eventsource 4.1.1'() {
    const { EventSource } = await import('eventsource-4');
    return (url, take) => follow(new EventSource(url), take);
  },
  async 'eventsource-client 1.2.0'() {
    const { createEventSource } = await import('eventsource-client');
    return (url, take) => {
      const client = createEventSource({ url, onMessage: ({ data }) => take(data) });
      return () => client.close();
    };
  },
  async 'launchdarkly-eventsource 2.2.0'() {
    const { EventSource } = (await import('launchdarkly-eventsource')).default;
    return (url, take) => follow(new EventSource(url), take);
  },
};
const HASTY = Object.keys(CLIENTS).slice(0, 3);

let isAsSeen = true;
for (const [name, open] of Object.entries(CLIENTS)) {
  const start = await open();
  const path = `/${encodeURIComponent(name)}`;
  const texts = [];
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, 10_000);
    const close = start(`http://127.0.0.1:${server.address().port}${path}`, (text) => {
      texts.push(text);
      if (text !== 'text 3') return;
      clearTimeout(timer);
      close();
      resolve();
    });
  });
  const id = visits.get(path)[1];
  console.log(`${name}: comes back with ${id}, has read ${texts.join(', ')}`);
  const lost = HASTY.includes(name);
  isAsSeen &&= id === (lost ? 2 : 1) && texts.join() === (lost ? 'text 1,text 3' : 'text 1,text 2,text 3');
}
if (!isAsSeen) console.error('the behaviour has changed');
process.exit(isAsSeen ? 0 : 1);
END_OF_LOOK
node look.mjs
