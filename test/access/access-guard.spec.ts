import { Controller, Get, Global, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { Clock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { FailedAttempts, ProblemFilter } from '../../src/common/http';
import { hashToken, newApiKey } from '../../src/common/ids';
import {
  type Tx,
  type UnitOfWork,
  UnitOfWorkFactory,
  provideRequestUnits,
} from '../../src/common/uow';
import { CurrentPrincipal, AccessModule, type Principal, RequireScope } from '../../src/access';
import { KeyRepository, type ShownKey } from '../../src/access/keys/key.repository';
import { SignalConnection } from '../../src/persistence';
import { FakeClock } from '../../tools/support/fake-clock';
import { outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';
import { settingsForTests } from '../support/settings';

/** The guard on operations of its own, with keys that are in memory: no database. */

@Controller('interviews')
@RequireScope('interviews:read')
class InterviewsController {
  @Get()
  list(@CurrentPrincipal() { actor, keyId, vacancyIds }: Principal): object {
    return { actor, keyId, vacancyIds };
  }
}

@Controller('scores')
class ScoresController {
  @Get()
  @RequireScope('scores:read')
  list(@CurrentPrincipal() { actor }: Principal): object {
    return { actor };
  }
}

@Controller('ratings')
class RatingsController {
  @Get()
  @RequireScope('ratings:write')
  list(@CurrentPrincipal() { actor }: Principal): object {
    return { actor };
  }
}

const clock = new FakeClock();
const token = newApiKey();
const shown: ShownKey = {
  id: 'the id of the key',
  name: 'crm',
  state: 'live',
  // The second one is for people, so no row should have it.
  scopes: ['interviews:read', 'ratings:write'],
  vacancyIds: ['the id of a vacancy'],
  remainingMs: 60_000,
};

class KeysInMemory {
  use(_tx: Tx, hash: string): Promise<ShownKey | null> {
    return Promise.resolve(hash === hashToken(token) ? shown : null);
  }
}

/** Runs the work of a commit without a transaction. */
const unit = {
  commitOne: <T>(_label: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    work({} as unknown as Tx),
  close: (): void => undefined,
} as unknown as UnitOfWork;

let app: NestFastifyApplication;
let base: string;

beforeAll(async () => {
  const units = { open: () => unit } as unknown as UnitOfWorkFactory;
  const given = [
    { provide: UnitOfWorkFactory, useValue: units },
    { provide: Clock, useValue: clock },
    { provide: Settings, useValue: settingsForTests({ ADMIN_TOKEN }) },
    { provide: FailedAttempts, useValue: new FailedAttempts(clock) },
    // Never opened, so nothing is remembered.
    { provide: SignalConnection, useValue: new SignalConnection('postgres://nowhere', clock) },
  ];
  @Global()
  @Module({ providers: given, exports: given.map(({ provide }) => provide) })
  class CoreModule {}
  const testing = await Test.createTestingModule({
    imports: [CoreModule, AccessModule],
    controllers: [InterviewsController, ScoresController, RatingsController],
  })
    .overrideProvider(KeyRepository)
    .useClass(KeysInMemory)
    .compile();
  app = testing.createNestApplication<NestFastifyApplication>(
    new FastifyAdapter({ forceCloseConnections: true }),
  );
  app.useLogger(false);
  app.useGlobalFilters(new ProblemFilter());
  provideRequestUnits(app.getHttpAdapter().getInstance(), units);
  await app.listen(0, '127.0.0.1');
  base = await app.getUrl();
});

afterAll(() => app.close());

function ask(path: string, authorization?: string): Promise<Response> {
  return fetch(`${base}/${path}`, {
    headers: authorization === undefined ? {} : { authorization },
  });
}

test('whoever has a key guesses no more admin tokens than anybody else', async () => {
  expect(await outcomeOf(await ask('interviews', `Bearer ${token}`))).toBe('200');

  for (let n = 0; n < 10; n += 1) await ask('interviews', `Bearer guess-${String(n)}`);

  const right = await ask('interviews', `Bearer ${ADMIN_TOKEN}`);
  expect(await outcomeOf(right)).toBe('429 too_many_attempts');
  expect(await outcomeOf(await ask('interviews', `Bearer ${token}`))).toBe('200');
  clock.advance(60_000);
  expect(await outcomeOf(await ask('interviews', `Bearer ${ADMIN_TOKEN}`))).toBe('200');
});

test('a key is let in with its scope, and the operation learns whose request it is', async () => {
  const response = await ask('interviews', `Bearer ${token}`);

  expect(await response.json()).toEqual({
    actor: 'key crm',
    keyId: 'the id of the key',
    vacancyIds: ['the id of a vacancy'],
  });
});

test('a key without the scope is refused, and the refusal names the scope', async () => {
  const response = await ask('scores', `Bearer ${token}`);

  expect(response.headers.get('www-authenticate')).toBe(
    'Bearer error="insufficient_scope", scope="scores:read"',
  );
  expect(await outcomeOf(response)).toBe('403 scope_missing');
});

test('a key is let in to nothing that only people may do, whatever its row says', async () => {
  expect(await outcomeOf(await ask('ratings', `Bearer ${token}`))).toBe('403 scope_missing');
  expect(await outcomeOf(await ask('ratings', `Bearer ${ADMIN_TOKEN}`))).toBe('403 scope_missing');
});

test('the admin token has every scope of keys and no limit', async () => {
  const [one, two] = [
    await ask('interviews', `Bearer ${ADMIN_TOKEN}`),
    await ask('scores', `bearer   ${ADMIN_TOKEN}`),
  ];

  expect(await one.json()).toEqual({ actor: 'ADMIN_TOKEN', keyId: null, vacancyIds: null });
  expect(await two.json()).toEqual({ actor: 'ADMIN_TOKEN' });
});

test.each([
  ['nothing', undefined],
  ['an unknown key', `Bearer ${newApiKey()}`],
  ['the key as a basic password', `Basic ${Buffer.from(`a:${token}`).toString('base64')}`],
  ['the key without a scheme', token],
  ['half of the key', `Bearer ${token.slice(0, 30)}`],
  ['the key with a space in it', `Bearer ${token.slice(0, 30)} ${token.slice(30)}`],
])('%s is let in nowhere', async (_, authorization) => {
  for (const path of ['interviews', 'scores']) {
    const response = await ask(path, authorization);

    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await outcomeOf(response)).toBe('401 admin_token_wrong');
  }
});

test('the description of the API names one scope for each operation, of a key or of a role', () => {
  const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());

  expect(paths['/interviews']?.get?.security).toEqual([
    { admin: ['interviews:read'] },
    { team: ['interviews:read'] },
  ]);
  expect(paths['/scores']?.get?.security).toEqual([
    { admin: ['scores:read'] },
    { team: ['scores:read'] },
  ]);
});
