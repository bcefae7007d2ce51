/** Following the stream of events through cuts, refusals and silence. */
import { CONVERSATION_EVENTS, EventStream } from '../../web/src/api/event-stream';
import type { Connection } from '../../web/src/api/event-stream';
import type { StreamEvent } from '../../web/src/api/wire';
import { FakeEventSource, Timers } from './fake-browser';

const GRACE_MS = 1_500;

function aStream() {
  const sources: FakeEventSource[] = [];
  const connections: Connection[] = [];
  const events: StreamEvent[] = [];
  const timers = new Timers();
  const stream = new EventStream({
    ...CONVERSATION_EVENTS,
    openEvents: () => {
      const source = new FakeEventSource();
      sources.push(source);
      return source.asEventSource();
    },
    wait: timers.wait,
    onEvent: (event) => events.push(event),
    onConnection: (connection) => connections.push(connection),
  });
  stream.reopen();
  const latest = () => sources.at(-1) ?? new FakeEventSource();
  return { stream, sources, connections, events, timers, latest };
}

describe('the event stream', () => {
  test('delivers frames by their names', () => {
    const { latest, events } = aStream();
    latest().send('start', { messageId: 'r' });
    latest().send('message', { id: 'm', text: 'Hello' });
    expect(events).toEqual([
      { type: 'start', messageId: 'r' },
      { type: 'message', message: { id: 'm', text: 'Hello' } },
    ]);
  });

  test('does not report a cut that the browser repairs at once', () => {
    const { latest, connections, timers, sources } = aStream();
    latest().connect();
    latest().fail(false);
    latest().connect();
    expect(connections).toEqual(['open', 'open']);
    expect(timers.live()).toEqual([]);
    expect(sources).toHaveLength(1);
  });

  test('reports a lost connection after the grace', () => {
    const { latest, connections, timers } = aStream();
    latest().fail(false);
    timers.fire(GRACE_MS);
    expect(connections).toEqual(['lost']);
  });

  test('opens a new one with growing delays when the server refuses', () => {
    const { latest, sources, timers } = aStream();
    const delays: (number | undefined)[] = [];
    for (let failure = 0; failure < 6; failure += 1) {
      latest().fail(true);
      const delay = timers.live().find(({ ms }) => ms !== GRACE_MS)?.ms;
      delays.push(delay);
      timers.fire(delay);
    }
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000]);
    expect(sources).toHaveLength(7);
  });

  test('restarts the delays after a connection that lasted', () => {
    const { latest, timers } = aStream();
    latest().fail(true);
    timers.fire(500);
    latest().connect();
    latest().fail(true);
    expect(timers.live().map(({ ms }) => ms)).toContain(500);
  });

  test('does not listen to a stream that was replaced', () => {
    const { stream, sources, events } = aStream();
    stream.reopen();
    sources[0]?.send('start', { messageId: 'old' });
    expect(events).toEqual([]);
    expect(sources[0]?.readyState).toBe(2);
  });

  test('is silent once closed', () => {
    const { stream, latest, connections, timers } = aStream();
    latest().fail(true);
    stream.close();
    expect(timers.live()).toEqual([]);
    expect(connections).toEqual([]);
  });
});
