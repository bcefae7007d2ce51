import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { FaultProxy } from '../../../tools/storm/fault-proxy';
import { turnOfLoop, untilInProcess } from '../../support/until';

const servers: Server[] = [];
const proxies: FaultProxy[] = [];

afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

/** A server that sends back what it gets, after its own letter; returns its port. */
async function echoServer(letter: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => socket.write(`${letter}${String(data)}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

async function openProxy(...targets: number[]): Promise<FaultProxy> {
  const proxy = await FaultProxy.open(...targets);
  proxies.push(proxy);
  return proxy;
}

async function dial(proxy: FaultProxy): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket, words: string): Promise<string> {
  socket.write(words);
  const [data] = (await once(socket, 'data')) as [Buffer];
  return String(data);
}

test('carries both ways, and keeps the order of bytes when they are late', async () => {
  const proxy = await openProxy(await echoServer('a'));
  const socket = await dial(proxy);
  proxy.delayMs = 20;
  socket.write('first ');
  await turnOfLoop();
  proxy.delayMs = 0;
  socket.write('second');

  let heard = '';
  while (!heard.includes('second')) heard += String(((await once(socket, 'data')) as [Buffer])[0]);

  expect(heard.replaceAll('a', '')).toBe('first second');
  socket.destroy();
});

test('cuts a connection in the middle of a piece', async () => {
  const proxy = await openProxy(await echoServer(''));
  const socket = await dial(proxy);
  expect(await ask(socket, 'whole')).toBe('whole');
  proxy.cutNext(1);
  const closed = once(socket, 'close');
  let heard = '';
  socket.on('data', (data) => (heard += String(data)));
  socket.write('12345678');
  await closed;

  expect(heard).not.toContain('5678');
  const next = await dial(proxy);
  expect(await ask(next, 'again')).toBe('again');
  next.destroy();
});

test('a black hole closes nothing, and what was sent arrives when it heals', async () => {
  const proxy = await openProxy(await echoServer('a'));
  const before = await dial(proxy);
  expect(await ask(before, '1')).toBe('a1');
  proxy.blackHole();
  before.write('2');
  const during = await dial(proxy);
  during.write('3');
  const heard: string[] = [];
  before.on('data', (data) => heard.push(String(data)));
  during.on('data', (data) => heard.push(String(data)));
  const control = await dial(await openProxy(await echoServer('b')));
  expect(await ask(control, 'a round trip meanwhile')).toBe('ba round trip meanwhile');
  expect(heard).toEqual([]);

  proxy.heal();
  await untilInProcess('both have heard', () => heard.length >= 2);

  expect(heard.toSorted()).toEqual(['a2', 'a3']);
  for (const socket of [before, during, control]) socket.destroy();
});

test('a reset ends every connection with an error', async () => {
  const proxy = await openProxy(await echoServer('a'));
  const socket = await dial(proxy);
  expect(await ask(socket, '1')).toBe('a1');
  const failed = once(socket, 'error');
  proxy.resetAll();

  expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' });
});

test('goes to the next target when one does not accept', async () => {
  const closed = await echoServer('x');
  const [server] = servers.splice(0);
  server?.close();
  const proxy = await openProxy(closed, await echoServer('b'));
  const [one, other] = [await dial(proxy), await dial(proxy)];

  expect([await ask(one, '1'), await ask(other, '2')]).toEqual(['b1', 'b2']);
  one.destroy();
  other.destroy();
});
