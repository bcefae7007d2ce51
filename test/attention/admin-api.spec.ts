import { Global, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AttentionService } from '../../src/attention';
import { DomainEvents, DomainEventHandler } from '../../src/common/events';
import { Clock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { BodyPipe, FailedAttempts, ProblemFilter } from '../../src/common/http';
import { Metrics } from '../../src/common/metrics';
import { RunMode } from '../../src/common/run-mode';
import { Drain, PeerHealth } from '../../src/common/lifecycle';
import { UnitOfWorkFactory, provideRequestUnits } from '../../src/common/uow';
import { AdminModule } from '../../src/admin';
import { IdempotencyModule } from '../../src/common/idempotency';
import { DomainEventsModule } from '../../src/common/events';
import { ControlConnection, SignalConnection } from '../../src/persistence';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { TestChannelsModule } from '../support/channels';
import { ADMIN_TOKEN as TOKEN } from '../support/secrets';
import { settingsForTests } from '../support/settings';

let database: TestDatabase;
let app: NestFastifyApplication;
let base: string;

async function startApp(env: Record<string, string>): Promise<void> {
  const given = [
    { provide: Clock, useValue: database.clock },
    // No job is claimed and no signal is sent, so neither connects.
    {
      provide: ControlConnection,
      useValue: new ControlConnection(database.url, database.clock),
    },
    {
      provide: SignalConnection,
      useValue: new SignalConnection(database.url, database.clock),
    },
    { provide: PeerHealth, useValue: new PeerHealth() },
    { provide: Drain, useValue: new Drain(database.clock, 1000) },
    { provide: FailedAttempts, useValue: new FailedAttempts(database.clock) },
    { provide: Metrics, useValue: database.registry },
    { provide: Settings, useValue: settingsForTests(env) },
    { provide: UnitOfWorkFactory, useValue: database.units },
    { provide: RunMode, useValue: RunMode.server },
  ];
  @Global()
  @Module({ providers: given, exports: given.map(({ provide }) => provide) })
  class CoreModule {}
  const testing = await Test.createTestingModule({
    imports: [
      CoreModule,
      TestChannelsModule.on(),
      DomainEventsModule,
      IdempotencyModule,
      AdminModule,
    ],
  }).compile();
  app = testing.createNestApplication<NestFastifyApplication>(
    new FastifyAdapter({ forceCloseConnections: true }),
  );
  app.useLogger(false);
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new BodyPipe());
  provideRequestUnits(app.getHttpAdapter().getInstance(), database.units);
  await app.listen(0, '127.0.0.1');
  base = `${await app.getUrl()}/api/v1/admin/attention`;
}

beforeEach(async () => {
  database = await openTestDatabase();
});

afterEach(async () => {
  await app.close();
  await database.close();
});

async function call(path: string, init: { method?: string; body?: unknown; token?: string } = {}) {
  const { method = 'GET', body, token = TOKEN } = init;
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, json, headers: response.headers };
}

async function raise(subject: string): Promise<void> {
  const item = {
    kind: 'unanalysed',
    subject,
    jobId: '7',
    reason: 'it failed three times',
  } as const;
  await database.units.run('test', (uow) =>
    uow.commit('test.raise', (tx) => app.get(AttentionService).raise(tx, item)),
  );
}

async function firstId(): Promise<string> {
  const { json } = await call('');
  return (json.items as { id: string }[])[0]?.id ?? '';
}

class ReplayOfUnanalysed {
  @DomainEventHandler('attention.replayed', { topic: 'unanalysed' })
  onReplayed(): Promise<void> {
    return Promise.resolve();
  }
}

describe('the admin API with a token', () => {
  beforeEach(() => startApp({ ADMIN_TOKEN: TOKEN }));

  test('lists the open items', async () => {
    await raise('job:7');
    await raise('job:8');

    const { status, json } = await call('?limit=1');

    expect(status).toBe(200);
    expect(json).toEqual({
      items: [
        {
          id: expect.any(String) as string,
          kind: 'unanalysed',
          subject: 'job:7',
          conversationId: null,
          jobId: '7',
          reason: 'it failed three times',
          createdAt: '2026-03-02T09:00:00.000Z',
          closedAt: null,
          closedBy: null,
          resolution: null,
          isReplayable: false,
          under: null,
          itemCount: 0,
          about: null,
          claim: null,
        },
      ],
    });
    const rest = await call(`?afterId=${await firstId()}`);
    expect(rest.json).toMatchObject({ items: [{ subject: 'job:8' }] });
  });

  test('closes an item once, with who and why', async () => {
    await raise('job:7');
    const path = `/${await firstId()}/close`;
    const body = { by: 'Nora', resolution: 'answered by phone' };

    const closed = await call(path, { method: 'POST', body });
    const again = await call(path, { method: 'POST', body });

    expect(closed.status).toBe(200);
    expect(closed.json).toMatchObject({ closedBy: 'Nora', resolution: 'answered by phone' });
    expect(again).toMatchObject({ status: 409, json: { code: 'attention_closed' } });
  });

  test('replays an item whose kind can be replayed, and refuses the others', async () => {
    await raise('job:7');
    const path = `/${await firstId()}/replay`;

    const refused = await call(path, { method: 'POST' });
    app.get(DomainEvents).register(new ReplayOfUnanalysed());
    const replayed = await call(path, { method: 'POST' });

    expect(refused).toMatchObject({ status: 409, json: { code: 'attention_not_replayable' } });
    expect(replayed).toMatchObject({
      status: 200,
      json: { resolution: 'replayed', closedBy: 'ADMIN_TOKEN' },
    });
  });

  test('refuses a reply to an item without a conversation', async () => {
    await raise('job:7');
    const refused = { status: 409, json: { code: 'attention_without_conversation' } };

    const id = await firstId();
    const replied = await call(`/${id}/reply`, { method: 'POST', body: { text: 'Hello' } });
    const returned = await call(`/${id}/return`, { method: 'POST', body: { by: 'Nora' } });

    expect([replied, returned]).toMatchObject([refused, refused]);
  });

  test.each([
    ['/999/close', { by: 'Nora', resolution: 'x' }, 404, 'attention_unknown'],
    ['/x/replay', undefined, 404, 'attention_unknown'],
    [`/${'9'.repeat(40)}/replay`, undefined, 404, 'attention_unknown'],
    ['/1/close', {}, 422, 'invalid_body'],
    ['/1/close', { by: ' ', resolution: 'x' }, 422, 'invalid_body'],
    ['/1/close', { by: 'a\0', resolution: 'x' }, 422, 'invalid_body'],
    ['/1/close', { by: 7, resolution: ['x'] }, 422, 'invalid_body'],
    ['/1/close', { by: 'Nora', resolution: 'x'.repeat(1001) }, 422, 'invalid_body'],
    ['/1/close', [], 422, 'invalid_body'],
    ['/999/reply', { text: 'Hello' }, 404, 'attention_unknown'],
    ['/1/reply', { text: ' ' }, 422, 'invalid_body'],
    ['/1/reply', { text: 'x'.repeat(4001) }, 422, 'invalid_body'],
    ['/999/return', { by: 'Nora' }, 404, 'attention_unknown'],
    ['/1/return', {}, 422, 'invalid_body'],
  ])('responds to POST %s %j with %i %s', async (path, body, status, code) => {
    const response = await call(path, { method: 'POST', body });

    expect(response).toMatchObject({ status, json: { status, code } });
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });

  test.each(['?limit=0', '?limit=x', '?state=all%00', '?afterId=-1', '?afterId=1&afterId=2'])(
    'refuses the query %s',
    async (query) => {
      expect(await call(query)).toMatchObject({ status: 422, json: { code: 'invalid_body' } });
    },
  );

  test.each([
    ['?taskId=7', undefined],
    ['/1/close', { by: 'Nora', resolution: 'x', taskId: '7' }],
    ['/1/reply', { text: 'Hello', taskId: null }],
    ['/1/return', { by: 'Nora', taskId: '7' }],
  ])('names the new field to a request of %s that has the old one', async (path, body) => {
    const response = await call(path, body === undefined ? {} : { method: 'POST', body });

    expect(response).toMatchObject({
      status: 400,
      json: { code: 'field_renamed', title: 'taskId is now jobId.' },
    });
  });

  test.each(['', 'wrong', `${TOKEN}x`])('refuses the token %j', async (token) => {
    const response = await call('', { token });

    expect(response).toMatchObject({ status: 401, json: { code: 'admin_token_wrong' } });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('the admin API without a token', () => {
  test('refuses whatever token is sent', async () => {
    await startApp({});

    expect(await call('')).toMatchObject({ status: 401, json: { code: 'admin_api_off' } });
    expect(await call('', { token: '' })).toMatchObject({
      status: 401,
      json: { code: 'admin_token_wrong' },
    });
  });
});
