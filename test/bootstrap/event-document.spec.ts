import Ajv from 'ajv';
import { storeDocuments } from '../interview/knowledge-turns';
import { replyWith } from '../../tools/fake-model/model-server';
import { streamCalls } from '../../tools/fake-model/tool-replies';
import { TypingSigns } from '../../src/streams';
import { type Frame, closeReaders, readEvents, watchEvents } from '../channels/web/event-source';
import { STREAMS } from '../channels/web/mid-reply';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { ADMIN_TOKEN } from '../support/secrets';

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly headers?: object;
  readonly payload: object;
  readonly examples: readonly [{ readonly payload: unknown }];
}
interface EventDocument {
  readonly channels: Readonly<
    Record<
      string,
      { readonly address: string; readonly messages: Readonly<Record<string, object>> }
    >
  >;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}

const ajv = new Ajv({ strict: false, validateFormats: false });

let app: TestApp;
let document: EventDocument;

beforeAll(async () => {
  app = await startTestApp({ ...STREAMS, env: { ...STREAMS.env, ADMIN_TOKEN } });
  const text = 'The early shift begins at four in the morning.';
  await storeDocuments(app, { 'shifts.en.md': text });
  const response = await fetch(`${app.url}/docs/asyncapi.json`);
  document = (await response.json()) as EventDocument;
});

afterEach(() => {
  closeReaders();
});

afterAll(() => app.close());

/** The schema without room for fields that it does not name: an undocumented field is a fault too. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
}

/** What is wrong with the data of an event; null: nothing. */
function problemOf({ event, data }: Pick<Frame, 'event' | 'data'>): unknown {
  const message = document.components.messages[event];
  if (message === undefined) return 'not described';
  const isValid = ajv.compile(closed(message.payload) as object);
  return isValid(data) ? null : isValid.errors;
}

/** Everything that a reference leads to exists. */
function brokenReferences(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (key !== '$ref') return brokenReferences(value);
    const found = (value as string)
      .slice(2)
      .split('/')
      .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
    return found === undefined ? [value as string] : [];
  });
}

test('describes in AsyncAPI 3 the two addresses of the stream, and each event with an example', () => {
  expect(document).toMatchObject({ asyncapi: '3.0.0', defaultContentType: 'application/json' });
  expect(Object.values(document.channels).map(({ address }) => address)).toEqual([
    '/api/v1/conversation/events',
    '/api/v1/admin/conversations/{id}/events',
  ]);
  expect(brokenReferences(document)).toEqual([]);
  for (const { name, summary, examples } of Object.values(document.components.messages)) {
    expect(summary).toMatch(/^[A-Z].*\.$/);
    const data = examples[0].payload as Frame['data'];
    expect([name, problemOf({ event: name, data })]).toEqual([name, null]);
  }
});

test('every event of a whole exchange, with a tool call, a person who types and the end of the session, fits its schema', async () => {
  const candidate = await TestCandidate.begin(app);
  const reader = await readEvents(candidate);
  const watcher = await watchEvents(app, candidate);
  app.model.next(
    streamCalls(['search_knowledge', { query: 'early shift' }]),
    replyWith('question', 'It begins at four.', { sources: '1' }),
    replyWith('answered', 'The bread is in by six, then.'),
  );

  await candidate.send('m1', 'When does the early shift begin?');
  await reader.until(({ names }) => names.includes('finish'));
  await candidate.send('m2', 'I have the bread in the oven by six.');
  await reader.until((stream) => stream.of('finish').length > 1);
  app.get(TypingSigns).note(candidate.conversationId, 'team');
  await reader.until(({ names }) => names.includes('typing'));
  const headers = { authorization: `Bearer ${candidate.token}` };
  await fetch(`${app.url}/api/v1/sessions/current`, { method: 'DELETE', headers });
  await reader.ended();

  const frames = [...reader.frames, ...watcher.frames];
  expect(frames.filter((frame) => problemOf(frame) !== null)).toEqual([]);
  expect(new Set(reader.names)).toEqual(new Set(Object.keys(document.components.messages)));
  expect(new Set(reader.of('part').map(({ data }) => data.type))).toEqual(
    new Set(['agent', 'call', 'result', 'question']),
  );
  for (const { event, id } of reader.frames) {
    const isNamed = document.components.messages[event]?.headers !== undefined;
    expect([event, id !== undefined]).toEqual([event, isNamed]);
  }
});

test('is for operators, as the rest of /docs', async () => {
  const remote = await startTestApp({ env: { HOST: '0.0.0.0' } });
  const response = await fetch(`${remote.url.replace('0.0.0.0', '127.0.0.1')}/docs/asyncapi.json`);
  await remote.close();

  expect(response.status).toBe(404);
});
