/**
 * One client of server-sent events, as its manual shows it. Opens `<base>/<n>` for each n below `count`,
 * all at once, and prints what it has read of each as JSON: the text, put together without a look at the
 * offsets, how many replies have finished, and how many events came that nobody sent. A process of its own
 * for each client, because some need the globals of a browser, and some are modules that Jest cannot load.
 */
const [name, base, count] = process.argv.slice(2);

/** How long the slowest client may take to its end. */
const LIMIT_MS = 20_000;

const NAMES = ['hello', 'state', 'message', 'part', 'start', 'delta', 'finish', 'ended'];

/** Follows a client that has the shape of a browser's EventSource. */
function listen(source, take) {
  source.onerror = () => undefined;
  source.onmessage = ({ data }) => take('message', data);
  for (const event of NAMES.filter((other) => other !== 'message')) {
    source.addEventListener(event, ({ data }) => take(event, data));
  }
  return () => source.close();
}

/** Each opens a URL, hands every event to `take`, and returns how it is closed. */
const CLIENTS = {
  async 'eventsource 2.0.2'() {
    const { default: EventSource } = await import('eventsource-2');
    return (url, take) => listen(new EventSource(url), take);
  },
  async 'eventsource 3.0.7'() {
    const { EventSource } = await import('eventsource-3');
    return (url, take) => listen(new EventSource(url), take);
  },
  async 'eventsource 4.1.1'() {
    const { EventSource } = await import('eventsource');
    return (url, take) => listen(new EventSource(url), take);
  },
  async 'extended-eventsource 2.1.0'() {
    const { EventSource } = await import('extended-eventsource');
    return (url, take) => listen(new EventSource(url, { disableLogger: true }), take);
  },
  async 'event-source-polyfill 1.0.31'() {
    const { EventSourcePolyfill } = (await import('event-source-polyfill')).default;
    return (url, take) => listen(new EventSourcePolyfill(url), take);
  },
  async 'reconnecting-eventsource 1.6.5'() {
    const { default: Reconnecting } = await import('reconnecting-eventsource');
    const { EventSource: eventSourceClass } = await import('eventsource');
    const options = { eventSourceClass, max_retry_time: 100 };
    return (url, take) => listen(new Reconnecting(url, options), take);
  },
  async 'launchdarkly-eventsource 2.2.0'() {
    const { EventSource } = (await import('launchdarkly-eventsource')).default;
    return (url, take) => listen(new EventSource(url), take);
  },
  async "Node's EventSource"() {
    return (url, take) => listen(new EventSource(url), take);
  },
  async 'eventsource-client 1.2.0'() {
    const { createEventSource } = await import('eventsource-client');
    return (url, take) => {
      const onMessage = ({ event, data }) => take(event ?? 'message', data);
      const client = createEventSource({ url, onMessage });
      return () => client.close();
    };
  },
  async '@microsoft/fetch-event-source 2.0.1'() {
    globalThis.window = globalThis;
    globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
    const { fetchEventSource } = (await import('@microsoft/fetch-event-source')).default;
    return (url, take) => {
      const stop = new AbortController();
      const onmessage = ({ event, data }) => take(event || 'message', data);
      void fetchEventSource(url, { signal: stop.signal, onmessage });
      return () => stop.abort();
    };
  },
  /** Only reads a response: coming back is written here. */
  async 'fetch-event-stream 0.1.6'() {
    const { stream } = await import('fetch-event-stream');
    return (url, take) => {
      const stop = new AbortController();
      const headers = {};
      const read = async () => {
        for await (const { event, data, id } of await stream(url, {
          headers,
          signal: stop.signal,
        })) {
          if (id !== undefined) headers['last-event-id'] = String(id);
          take(event ?? 'message', data ?? '');
        }
      };
      const readAgain = () => void read().catch(() => stop.signal.aborted || readAgain());
      readAgain();
      return () => stop.abort();
    };
  },
};

/** Resolves with what was read when the reply has finished. */
function readOne(open, url) {
  const read = { text: '', finishes: 0, unsent: 0 };
  return new Promise((resolve) => {
    const timer = setTimeout(end, LIMIT_MS);
    const close = open(url, (event, data) => {
      if (data === '' || data === undefined || !NAMES.includes(event)) read.unsent += 1;
      else if (event === 'start') read.text = '';
      else if (event === 'delta') read.text += JSON.parse(data).text;
      else if (event === 'finish') {
        read.finishes += 1;
        end();
      }
    });
    function end() {
      clearTimeout(timer);
      setImmediate(() => {
        close();
        resolve(read);
      });
    }
  });
}

if (name === undefined) {
  console.log(JSON.stringify(Object.keys(CLIENTS)));
} else {
  const open = await CLIENTS[name]();
  const urls = Array.from({ length: Number(count) }, (_, n) => `${base}/${n}`);
  const reads = await Promise.all(urls.map((url) => readOne(open, url)));
  // Before the exit, which would cut a long line that is written to a pipe.
  process.stdout.write(JSON.stringify(reads), () => process.exit(0));
}
