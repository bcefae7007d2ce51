import { Client } from 'pg';
import { SignalConnection } from '../../src/persistence';
import { FakeClock } from '../../tools/support/fake-clock';
import { gate } from '../../tools/http-fake/gate';
import { createTestDatabase } from '../support/postgres';
import { untilInProcess } from '../support/until';

let url: string;
let drop: () => Promise<void>;
let open: SignalConnection[];

beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
});
beforeEach(() => {
  open = [];
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const connection of open) await connection.close();
});
afterAll(() => drop());

/** A connection that already listens, the signals that it gets, and when it has got 'the end'. */
async function connected(clock = new FakeClock()) {
  const connection = new SignalConnection(url, clock);
  const heard: string[] = [];
  const [contact, end] = [gate(), gate()];
  connection.listen({
    onSignal: (payload) => {
      heard.push(payload);
      if (payload === 'the end') end.open();
    },
    onConnected: contact.open,
  });
  open.push(connection);
  connection.open();
  await contact.opened;
  return { connection, heard, ended: end.opened };
}

test('other connections get signals in the order of sending, the sender gets none', async () => {
  const here = await connected();
  const there = await connected();

  await here.connection.send(['one', 'two', 'the end']);
  await there.connection.send(['three', 'the end']);
  await Promise.all([here.ended, there.ended]);

  expect(there.heard).toEqual(['one', 'two', 'the end']);
  expect(here.heard).toEqual(['three', 'the end']);
});

test('reports contact only after LISTEN, so a read after it misses no commit', async () => {
  const connection = new SignalConnection(url, new FakeClock());
  const query = jest.spyOn(Client.prototype, 'query');
  const contact = gate();
  let asked: unknown[] = [];
  connection.listen({
    onSignal: () => undefined,
    onConnected: () => {
      asked = query.mock.calls.map(([text]) => text);
      contact.open();
    },
  });
  open.push(connection);
  connection.open();

  await contact.opened;

  expect(asked).toContain('listen colloquy_notices');
});

test('loses a signal while disconnected, without an error for its sender', async () => {
  const connection = new SignalConnection(url, new FakeClock());

  await connection.send(['one']);

  expect(connection.isConnected).toBe(false);
});

test('each knows whether there is another one, whoever came first, until it has been silent', async () => {
  const clock = new FakeClock();
  const first = await connected(clock);
  expect(first.connection.hasPeers).toBe(false);
  const second = await connected(clock);
  await untilInProcess('both know', () => first.connection.hasPeers && second.connection.hasPeers);

  await second.connection.close();
  clock.advance(25_001);

  expect(first.connection.hasPeers).toBe(false);
});
