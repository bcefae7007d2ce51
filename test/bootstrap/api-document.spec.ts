import Ajv2020, { type ErrorObject } from 'ajv/dist/2020';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import path from 'node:path';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { FIELDS } from '../../src/invitations/file/column-names';
import { ExampleVacancies } from '../../src/vacancies';
import { type TestApp, startTestApp } from '../support/app';

const EXAMPLES = path.join(__dirname, '../../examples');

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
}
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
interface Operation {
  readonly summary?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly {
    readonly name: string;
    readonly schema: object;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let app: TestApp;
let document: Document;

beforeAll(async () => {
  app = await startTestApp();
  await app.sql('delete from vacancy');
  await app.get(UnitOfWorkFactory).run('test', (uow) =>
    app.get(ExampleVacancies).loadIfEmpty(uow, EXAMPLES, () => {
      return Promise.resolve(() => Promise.resolve());
    }),
  );
  document = (await (await fetch(`${app.url}/docs/openapi.json`)).json()) as Document;
});

afterAll(() => app.close());

function operations(): [name: string, Operation][] {
  return Object.entries(document.paths).flatMap(([place, methods]) =>
    Object.entries(methods).map(([method, one]): [string, Operation] => [
      `${method} ${place}`,
      one,
    ]),
  );
}

/** What is wrong with the example of a schema; null: nothing. */
function problemOf(schema: Schema, example: unknown): string | ErrorObject[] | null {
  if (example === undefined) return 'no example';
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const isValid = ajv.compile({ ...schema, components: document.components });
  return isValid(example) ? null : (isValid.errors ?? []);
}

/** The example of a body: its own, or that of its schema. */
function exampleIn(body: { readonly schema: Schema; readonly example?: unknown }): unknown {
  const name = body.schema.$ref?.split('/').at(-1) ?? '';
  const named = document.components.schemas[name];
  return body.example ?? (named ?? body.schema).examples?.[0];
}

test('says of every operation in a few words what it does', () => {
  expect(operations().length).toBeGreaterThan(35);
  for (const [name, { summary = '' }] of operations()) {
    expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z].{7,79}$/)]);
  }
});

test('shows an example of every parameter, body and stream, which fits its schema', () => {
  const found = operations().flatMap(([name, { parameters, requestBody, responses }]) => {
    const contents = [requestBody, ...Object.values(responses)].flatMap((body) =>
      Object.entries(body?.content ?? {}),
    );
    const readable = contents.filter(([type]) => /json|event-stream/.test(type));
    return [
      ...parameters.map((one) => [name, one.name, problemOf(one.schema, one.example)]),
      ...readable.map(([type, body]) => [name, type, problemOf(body.schema, exampleIn(body))]),
    ];
  });

  expect(found.length).toBeGreaterThan(80);
  expect(found.filter(([, , problem]) => problem !== null)).toEqual([]);
});

test('names every field of a row that an import takes', () => {
  const [, operation] =
    operations().find(([name]) => /^post .*invitation-imports$/.test(name)) ?? [];
  const schema = operation?.requestBody?.content['application/json']?.schema;
  const [rows] = (schema as { anyOf: { items: { properties: object } }[] }).anyOf;

  expect(Object.keys(rows?.items.properties ?? {}).sort()).toEqual([...FIELDS, 'metadata'].sort());
});

test('says what tells a client that a message would be refused', () => {
  const { properties } = document.components.schemas.ConversationDto_Output as {
    properties: Readonly<Record<string, { readonly description?: string }>>;
  };

  expect(properties.takesMessages?.description).toContain('POST …/messages');
});

test('contains no default integer bounds and no generated dates', () => {
  const text = JSON.stringify(document);

  expect(text).not.toContain('9007199254740991');
  for (const [, year] of text.matchAll(/"(\d{4})-\d\d-\d\d/g)) expect(year).toBe('2026');
});

test('tells the tokens of candidates, of programs and of people apart', () => {
  const withoutToken = [
    'get /api/v1/invites/{token}',
    'post /api/v1/sessions',
    'get /api/v1/team/oidc',
    'get /api/v1/team/oidc/callback',
    'get /api/v1/team/sign-in',
    'post /api/v1/team/session',
    'delete /api/v1/team/session',
    'get /api/v1/team/links/{token}',
    'post /api/v1/team/links/{token}',
  ];
  const scopes = [expect.stringMatching(/^[a-z]+:[a-z]+$/) as string];

  for (const [name, { security }] of operations()) {
    const ofTeam = [{ admin: scopes }, { team: scopes }];
    const isOfCandidate = /\/api\/(chat|v1\/(conversation|sessions|invites))/.test(name);
    const isOfUser = name.includes('/v1/team/');
    // To judge people and to comment on them, to manage colleagues, to look as a candidate and to begin a deletion is for people only.
    const isOfPeople =
      name.includes('/v1/users') ||
      name.includes('/v1/retention/run') ||
      /\/(ratings|comments)\b|\/preview$|^post .*\/interviews\/\{id\}\/decisions$/.test(name);
    const expected = isOfCandidate
      ? [{ session: [] }]
      : isOfUser
        ? [{ team: [] }]
        : isOfPeople
          ? [{ team: scopes }]
          : ofTeam;
    expect([name, security]).toEqual([name, withoutToken.includes(name) ? undefined : expected]);
  }
});

test('begins with five calls that hold an interview when they are pasted into a shell', async () => {
  const blocks = [...document.info.description.matchAll(/```sh\n([\s\S]*?)```/g)];
  const commands = blocks.map(([, command = '']) => command);
  expect(commands).toHaveLength(5);

  const shell = spawn('bash', ['-euc', commands.join('\necho\n')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a group of its own, so that the curl that reads the stream ends with it.
    detached: true,
  });
  const ended = once(shell, 'close');
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const isOver = () => output.includes('event: finish') || shell.exitCode !== null;
  for (let checks = 0; checks < 2000 && !isOver(); checks += 1) await pause(10);
  if (shell.exitCode === null) process.kill(-(shell.pid ?? 0), 'SIGKILL');
  await ended;

  expect(output).toContain('"accepted":true');
  expect(output).toContain('"name":"Ada Lovelace"');
  expect(output).toMatch(/"id":"message-1","messageId":"[\w-]{36}","seq":\d+/);
  expect(output).toMatch(/event: delta\n/);
  expect(output).toMatch(/event: finish\n/);
});
