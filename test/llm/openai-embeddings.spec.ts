import { type ModelFailure, ModelAbortedError, ModelUnavailableError } from '../../src/llm';
import { OpenAiEmbeddings } from '../../src/llm/openai-embeddings';
import { openTestDatabase } from '../support/app-database';
import { FakeClock } from '../../tools/support/fake-clock';
import type { EmbeddingReply } from '../../tools/fake-model/embedding-endpoint';
import { SECRET, WORDS } from '../support/model-calls';
import { ModelServer } from '../../tools/fake-model/model-server';

const clock = new FakeClock();
const CALM = new AbortController().signal;
let server: ModelServer;

beforeEach(async () => {
  server = await ModelServer.start();
});

afterEach(async () => {
  await server.close();
});

function client(): OpenAiEmbeddings {
  const { baseUrl } = server;
  return new OpenAiEmbeddings({ apiKey: SECRET, baseUrl, model: 'e-1', timeoutMs: 5000 }, clock);
}

async function failureOf(reply: EmbeddingReply): Promise<Error> {
  server.embeddings.next(reply);
  const error: unknown = await client()
    .embed([WORDS], CALM)
    .catch((e: unknown) => e);
  if (error instanceof Error) return error;
  throw new Error('it did not fail');
}

test('returns vectors in the order of the texts, requested as plain numbers', async () => {
  const response = await client().embed(['home home', 'pay'], CALM);

  expect(response).toEqual({
    model: 'e-1',
    vectors: [
      [0, 2, 0, 0.1],
      [0, 0, 1, 0.1],
    ],
    inputTokens: 14,
  });
  expect(server.embeddings.requests).toMatchObject([
    {
      authorization: `Bearer ${SECRET}`,
      body: { model: 'e-1', input: ['home home', 'pay'], encoding_format: 'float' },
    },
  ]);
});

const OK = { kind: 'body', contentType: 'application/json' } as const;
const data = (...embeddings: unknown[]): EmbeddingReply => ({
  ...OK,
  body: JSON.stringify({ data: embeddings.map((embedding, index) => ({ index, embedding })) }),
});

test.each<[string, EmbeddingReply, string]>([
  ['an outage', { kind: 'status', status: 503, error: { message: WORDS } }, 'unavailable'],
  ['a refused key', { kind: 'status', status: 401, error: { message: SECRET } }, 'unavailable'],
  ['a refused request', { kind: 'status', status: 400, error: { message: WORDS } }, 'bad_request'],
  ['an error inside 200', { ...OK, body: '{"error":{"code":502}}' }, 'unavailable'],
  ['a flat error inside 200', { ...OK, body: '{"object":"error","code":503}' }, 'unavailable'],
  ['an overload in words', { ...OK, body: '{"error":"overloaded"}' }, 'unavailable'],
  ['FastAPI: detail inside 200', { ...OK, body: '{"detail":"x","status":500}' }, 'unavailable'],
  ['a web page', { ...OK, contentType: 'text/html', body: WORDS }, 'unavailable'],
  ['no JSON', { ...OK, body: `{"${WORDS}` }, 'malformed'],
  ['null', { ...OK, body: 'null' }, 'malformed'],
  ['no data', { ...OK, body: '{}' }, 'malformed'],
  ['data that is no list', { ...OK, body: '{"data":{"length":1}}' }, 'malformed'],
  ['too many vectors', data([1], [1]), 'malformed'],
  ['an empty vector', data([]), 'malformed'],
  ['base64', data('AACAPw=='), 'malformed'],
  ['words in a vector', data([1, WORDS]), 'malformed'],
  ['a vector without direction', data([0, 0]), 'malformed'],
  ['a null in a list', { ...OK, body: '{"data":[null]}' }, 'malformed'],
  ['a huge vector', data(Array.from({ length: 8193 }, () => 1)), 'malformed'],
])('classifies %s, without text of the server or of a person', async (_, reply, kind) => {
  const error = await failureOf(reply);

  const isAway = error instanceof ModelUnavailableError;
  expect(isAway ? 'unavailable' : (error as ModelFailure).kind).toBe(kind);
  const told = JSON.stringify([error.message, (error as ModelFailure).fields, error.cause]);
  expect(told).not.toContain(WORDS);
  expect(told).not.toContain(SECRET);
});

test('refuses vectors of different lengths', async () => {
  server.embeddings.next(data([1], [1, 2]));
  await expect(client().embed(['a', 'b'], CALM)).rejects.toMatchObject({ kind: 'malformed' });
});

test('sends one request to a server that is unavailable', async () => {
  const embeddings = client();
  await server.goDown();
  await expect(embeddings.embed(['a'], CALM)).rejects.toThrow(ModelUnavailableError);
  await server.comeUp();
  server.embeddings.next({ kind: 'status', status: 500, error: {} });
  await expect(embeddings.embed(['a'], CALM)).rejects.toThrow(ModelUnavailableError);
  expect(server.embeddings.requests).toHaveLength(1);
});

test('ends the request after the timeout, as unavailable', async () => {
  server.embeddings.next({ kind: 'silent' });
  const embedding = client()
    .embed(['a'], CALM)
    .catch((e: unknown) => e);
  const request = await server.embeddings.request(1);
  clock.advance(5000);
  expect(await embedding).toBeInstanceOf(ModelUnavailableError);
  await request.closed;
});

test('ends the request when the caller aborts', async () => {
  server.embeddings.next({ kind: 'silent' });
  const caller = new AbortController();
  const embedding = client()
    .embed(['a'], caller.signal)
    .catch((e: unknown) => e);
  const request = await server.embeddings.request(1);
  caller.abort();
  expect(await embedding).toBeInstanceOf(ModelAbortedError);
  await request.closed;
});

test('refuses to embed inside a commit (I6)', async () => {
  const database = await openTestDatabase();
  const inside = database.units.run('test', (uow) =>
    uow.commit('test.remote', () => client().embed(['a'], CALM)),
  );
  await expect(inside).rejects.toThrow('model was called inside the commit "test.remote"');
  expect(server.embeddings.requests).toHaveLength(0);
  await database.close();
});
