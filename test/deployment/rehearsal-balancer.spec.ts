import { Balancer, type Target } from '../../tools/rehearsal/balancer';
import { Listener } from '../../tools/http-fake/listener';
import { until } from '../support/until';

/** The balancer of the rehearsals has to fail requests as a real one does, or they would prove nothing. */

class FakeReplica implements Target {
  status = 200;
  requests = 0;
  breaks = false;
  private readonly listener = new Listener((request, response) => {
    this.requests += 1;
    if (this.breaks) request.socket.destroy();
    else response.writeHead(200).end('here');
    return Promise.resolve();
  });

  open(): Promise<void> {
    return this.listener.open();
  }

  get port(): number {
    return Number(new URL(this.listener.url).port);
  }

  probe(): Promise<number> {
    return Promise.resolve(this.status);
  }

  close(): Promise<void> {
    return this.listener.close();
  }
}

let balancer: Balancer;
let one: FakeReplica;
let other: FakeReplica;

beforeEach(async () => {
  balancer = await Balancer.open();
  [one, other] = [new FakeReplica(), new FakeReplica()];
  for (const replica of [one, other]) {
    await replica.open();
    await balancer.add(replica);
  }
});

afterEach(async () => {
  await balancer.close();
  await one.close();
  await other.close();
});

async function get(): Promise<number> {
  const response = await fetch(balancer.url);
  await response.arrayBuffer();
  return response.status;
}

test('requests go to the replicas in turn', async () => {
  for (let n = 0; n < 4; n += 1) expect(await get()).toBe(200);

  expect([one.requests, other.requests]).toEqual([2, 2]);
});

test('a replica that is ending, or not ready twice in a row, gets no request', async () => {
  balancer.end(one);
  expect([await get(), await get()]).toEqual([200, 200]);
  expect(one.requests).toBe(0);

  other.status = 503;
  await until('nobody is ready', async () => (await get()) === 502);
  expect(balancer.refused).toBe(1);
});

test('a request whose replica breaks off is not tried again, and is counted', async () => {
  one.breaks = true;
  other.breaks = true;

  expect(await get()).toBe(502);
  expect(balancer.broken).toBe(1);
  expect(one.requests + other.requests).toBe(1);
});
