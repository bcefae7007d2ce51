import { Logger } from '@nestjs/common';
import {
  AttentionAlerts,
  type AttentionRepository,
  type AttentionService,
} from '../../src/attention';
import { AlertWebhook } from '../../src/attention/alerts';
import { Drain } from '../../src/common/lifecycle';
import { Metrics } from '../../src/common/metrics';
import type { Tx } from '../../src/common/uow';
import { attentionRig } from '../support/attention';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { Receiver, respondWith } from '../../tools/http-fake/receiver';

let database: TestDatabase;
let attention: AttentionService;
let items: AttentionRepository;
let receiver: AlertReceiver;
let lines: string[];
let drain: Drain;

beforeEach(async () => {
  database = await openTestDatabase();
  ({ attention, items } = attentionRig(database.clock));
  receiver = await AlertReceiver.start();
  drain = new Drain(database.clock, 1000);
  lines = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
    lines.push(String(line));
  });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await receiver.stop();
  await database.close();
});

function alerts(
  env: Record<string, string> = { ALERT_WEBHOOK_URL: receiver.url },
  metrics = database.registry,
): AttentionAlerts {
  const webhook = new AlertWebhook(settingsForTests(env), database.clock);
  const sweeper = new AttentionAlerts(database.units, items, webhook, metrics, drain);
  sweeper.onModuleInit();
  return sweeper;
}

function inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test.commit', work));
}

async function raise(subject = 'job:7'): Promise<void> {
  const reason = 'the candidate wrote: my secret';
  await inCommit((tx) => attention.raise(tx, { kind: 'dead', subject, jobId: '7', reason }));
}

async function counted(): Promise<string | undefined> {
  const { body } = await database.registry.exposition();
  return /colloquy_attention_items_total\{kind="dead"\} (\d+)/.exec(body)?.[1];
}

describe('a new item', () => {
  test('is counted, logged and alerted about once, without any candidate text', async () => {
    const sweeper = alerts();
    await raise();

    await sweeper.sweep();
    database.clock.advance(3_600_000);
    await sweeper.sweep();

    await expect(counted()).resolves.toBe('1');
    expect(lines).toEqual([
      expect.stringMatching(
        /^item (\d+) needs a person: dead, job:7; see: \.\/colloquy attention show \1$/,
      ),
    ]);
    expect(receiver.bodies).toHaveLength(1);
    expect(receiver.bodies[0]).toMatchObject({ kind: 'dead', subject: 'job:7', jobId: '7' });
    expect(JSON.stringify(receiver.bodies)).not.toContain('secret');
  });

  test('is announced by one of two replicas', async () => {
    const first = alerts();
    const second = alerts(undefined, new Metrics());
    await Promise.all(['a', 'b', 'c', 'd'].map(raise));

    await Promise.all([first.sweep(), second.sweep()]);

    expect(lines).toHaveLength(4);
    expect(receiver.bodies.map(({ subject }) => subject).sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('without a webhook is only counted and logged', async () => {
    const sweeper = alerts({});
    await raise();

    await sweeper.sweep();
    await sweeper.sweep();

    expect(lines).toHaveLength(1);
    await alerts(undefined, new Metrics()).sweep();
    expect(receiver.bodies).toEqual([]);
  });
});

describe('an alert that is refused', () => {
  test('is sent again at growing intervals until it is accepted', async () => {
    const sweeper = alerts();
    receiver.status = 500;
    await raise();

    await sweeper.sweep();
    await sweeper.sweep();
    expect(receiver.bodies).toHaveLength(1);
    database.clock.advance(10_000);
    await sweeper.sweep();
    expect(receiver.bodies).toHaveLength(2);

    receiver.status = 204;
    database.clock.advance(3_600_000);
    await sweeper.sweep();
    database.clock.advance(3_600_000);
    await sweeper.sweep();
    expect(receiver.bodies).toHaveLength(3);
    await expect(counted()).resolves.toBe('1');
  });

  test('never shows the webhook address in the log', async () => {
    receiver.status = 500;
    await raise();

    await alerts().sweep();

    expect(lines.join('\n')).toContain('the alert webhook responded with 500');
    expect(lines.join('\n')).not.toContain('hidden');
  });

  test('times out when the receiver does not respond, and the others wait for the next sweep', async () => {
    receiver.respond = () => undefined;
    await raise('a');
    await raise('b');

    const swept = alerts().sweep();
    await database.until('the alert is sent', () => receiver.bodies.length === 1);
    database.clock.advance(5000);
    await swept;

    expect(receiver.bodies).toHaveLength(1);
    expect(lines.join('\n')).toContain('did not respond');
  });

  test('is not sent again after a person closed the item', async () => {
    const sweeper = alerts();
    receiver.status = 500;
    await raise();
    await sweeper.sweep();
    const [item] = await inCommit((tx) => attention.list(tx));
    await inCommit((tx) => attention.close(tx, item?.id ?? '', 'Nora', 'done'));

    database.clock.advance(3_600_000);
    await sweeper.sweep();

    expect(receiver.bodies).toHaveLength(1);
  });
});

describe('the sweep', () => {
  test('runs once at a time, and not after a shutdown began', async () => {
    const sweeper = alerts();
    await raise();
    const arrival = receiver.nextBody();

    await Promise.all([sweeper.runOnSchedule(), sweeper.runOnSchedule(), arrival]);
    await drain.begin();
    await raise('job:8');
    await sweeper.runOnSchedule();

    expect(receiver.bodies).toHaveLength(1);
  });

  test('does not delay a shutdown while the receiver does not respond', async () => {
    receiver.respond = () => undefined;
    const sweeper = alerts();
    await raise();
    const arrival = receiver.nextBody();

    const sweeping = sweeper.runOnSchedule();
    await arrival;
    await drain.begin();
    await sweeping;

    expect(lines.at(-1)).toContain('is sent again later');
  });
});

/** A real HTTP server that takes alerts; its address has a secret that no log may show. */
class AlertReceiver extends Receiver {
  override get url(): string {
    return super.url.replace('/hook', '/alerts?secret=hidden');
  }

  /** The status of the responses from now on; null: the connection breaks. */
  set status(status: number | null) {
    this.respond = respondWith(status);
  }

  get bodies(): Record<string, unknown>[] {
    return this.requests.all.map(({ body }) => body);
  }

  /** Resolves when the next alert has come in. */
  async nextBody(): Promise<void> {
    await this.requests.nth(this.requests.all.length + 1);
  }
}
