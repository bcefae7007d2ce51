/** The outbox: nothing written is lost, doubled or reordered, whatever the network does. */
import { ApiProblem, ApiUnreachable } from '../../web/src/api/client';
import type { Acknowledgement } from '../../web/src/api/client';
import { Outbox, retryDelayMs } from '../../web/src/state/outbox';
import type { OutboxItem } from '../../web/src/state/outbox';
import { Timers, aStorage, settled } from './fake-browser';

interface Message {
  id: string;
  text: string;
}

/** A server that records what it gets, and fails as often as the test says. */
class FakeServer {
  readonly received: Message[] = [];
  failures: Error[] = [];
  private seq = 0;

  readonly send = (message: Message): Promise<Acknowledgement> => {
    const failure = this.failures.shift();
    if (failure) return Promise.reject(failure);
    this.received.push(message);
    this.seq += 1;
    return Promise.resolve({ seq: this.seq });
  };
}

function anOutbox(server: FakeServer, storage = aStorage()) {
  const timers = new Timers();
  const acknowledged: { text: string; seq: number }[] = [];
  const problems: string[] = [];
  let changes: readonly OutboxItem[] = [];
  let ids = 0;
  let nowMs = 1_000;
  const outbox = new Outbox('one', {
    storage,
    nowMs: () => (nowMs += 1),
    random: () => 1,
    newMessageId: () => `id${String((ids += 1))}`,
    wait: timers.wait,
    send: server.send,
    onAcknowledged: ({ text }, seq) => acknowledged.push({ text, seq }),
    onProblem: ({ code }) => problems.push(code),
    onChange: (items) => {
      changes = items;
    },
  });
  const fireTimer = () => {
    timers.fire();
    return settled();
  };
  return { outbox, storage, timers, acknowledged, problems, items: () => changes, fireTimer };
}

const offline = () => new ApiUnreachable(new Error('offline'));
const textsOf = (messages: readonly { text: string }[]) => messages.map(({ text }) => text);

describe('the outbox', () => {
  test('sends in the order of writing and removes acknowledged messages', async () => {
    const server = new FakeServer();
    const { outbox, storage, acknowledged, items } = anOutbox(server);

    outbox.add('one');
    outbox.add('two');
    outbox.add('three');
    await settled();

    expect(textsOf(server.received)).toEqual(['one', 'two', 'three']);
    expect(acknowledged.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(items()).toEqual([]);
    expect(storage.keys()).toEqual([]);
  });

  test('keeps a message in storage until it is acknowledged', async () => {
    const server = new FakeServer();
    server.failures = [offline()];
    const { outbox, storage, items } = anOutbox(server);

    outbox.add('one');
    await settled();

    expect(items().map(({ state }) => state)).toEqual(['waiting']);
    expect(storage.keys()).toHaveLength(1);
  });

  test('repeats a message under the same id before it sends later ones', async () => {
    const server = new FakeServer();
    server.failures = [offline(), new ApiProblem(503, 'unavailable')];
    const { outbox, items, fireTimer } = anOutbox(server);

    outbox.add('one');
    await settled();
    const idBefore = items()[0]?.id;
    outbox.add('two');
    await settled();
    expect(server.received).toEqual([]);

    await fireTimer();
    expect(server.received).toEqual([]);
    await fireTimer();

    expect(textsOf(server.received)).toEqual(['one', 'two']);
    expect(server.received[0]?.id).toBe(idBefore);
  });

  test('sends after a reload what an earlier visit left unsent, in order', async () => {
    const server = new FakeServer();
    server.failures = [offline()];
    const before = anOutbox(server);
    before.outbox.add('one');
    before.outbox.add('two');
    await settled();
    const idsBefore = before.items().map(({ id }) => id);

    const after = anOutbox(server, before.storage);
    expect(textsOf(after.outbox.list())).toEqual(['one', 'two']);
    after.outbox.retryNow();
    await settled();

    expect(server.received.map(({ id }) => id)).toEqual(idsBefore);
    expect(after.storage.keys()).toEqual([]);
  });

  test('does not touch messages of another conversation', async () => {
    const storage = aStorage();
    storage.set(
      'colloquy.outbox.other.id9',
      JSON.stringify({ text: 'x', writtenAt: '', order: 1 }),
    );
    const server = new FakeServer();
    const { outbox } = anOutbox(server, storage);

    outbox.retryNow();
    await settled();

    expect(server.received).toEqual([]);
    expect(storage.keys()).toHaveLength(1);
  });

  test('sets a refused message aside and goes on with the next', async () => {
    const server = new FakeServer();
    server.failures = [new ApiProblem(422, 'invalid_text')];
    const { outbox, items, problems, storage } = anOutbox(server);

    outbox.add('bad');
    outbox.add('good');
    await settled();

    expect(textsOf(server.received)).toEqual(['good']);
    expect(items()).toMatchObject([{ text: 'bad', state: 'refused', code: 'invalid_text' }]);
    expect(problems).toEqual(['invalid_text']);

    outbox.discard(items()[0]?.id ?? '');
    expect(storage.keys()).toEqual([]);
  });

  test.each([
    [429, 'too_many_requests'],
    [408, ''],
    [503, 'draining'],
    [401, 'session_unknown'],
    [409, 'consent_required'],
  ])('goes on trying after %i %s', async (status, code) => {
    const server = new FakeServer();
    server.failures = [new ApiProblem(status, code)];
    const { outbox, items, fireTimer } = anOutbox(server);

    outbox.add('one');
    await settled();
    expect(items()[0]?.state).toBe('waiting');
    await fireTimer();

    expect(textsOf(server.received)).toEqual(['one']);
  });

  test('waits as long as the server asks for', async () => {
    const server = new FakeServer();
    server.failures = [new ApiProblem(503, 'draining', 30_000)];
    const { outbox, timers } = anOutbox(server);

    outbox.add('one');
    await settled();

    expect(timers.live().at(-1)?.ms).toBe(30_000);
  });

  test('sends at once when it is told that the network is back', async () => {
    const server = new FakeServer();
    server.failures = [offline()];
    const { outbox, timers } = anOutbox(server);
    outbox.add('one');
    await settled();

    outbox.retryNow();
    await settled();

    expect(textsOf(server.received)).toEqual(['one']);
    expect(timers.live()).toEqual([]);
  });

  test('reports that everything is delivered only after the last acknowledgement', async () => {
    const server = new FakeServer();
    server.failures = [offline()];
    const { outbox, fireTimer } = anOutbox(server);
    const delivered = jest.fn();

    outbox.add('one');
    outbox.add('two');
    outbox.afterDelivery(delivered);
    await settled();
    expect(delivered).not.toHaveBeenCalled();
    await fireTimer();

    expect(delivered).toHaveBeenCalledTimes(1);
  });

  test('sends nothing more once stopped, and keeps the rest', async () => {
    const server = new FakeServer();
    const { outbox, storage } = anOutbox(server);
    outbox.stop();

    outbox.add('one');
    await settled();

    expect(server.received).toEqual([]);
    expect(storage.keys()).toHaveLength(1);
  });
});

describe('the delay before a retry', () => {
  test('doubles from one second to fifteen, with up to a quarter of jitter', () => {
    expect([1, 2, 3, 4, 5, 9].map((n) => retryDelayMs(n, 1, null))).toEqual([
      1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
    ]);
    expect(retryDelayMs(1, 0, null)).toBe(750);
  });
});
