import { type ModelFailure, ModelAbortedError, ModelUnavailableError } from '../../src/llm';
import { OpenAiTranscriptions } from '../../src/llm/openai-transcriptions';
import { openTestDatabase } from '../support/app-database';
import { FakeClock } from '../../tools/support/fake-clock';
import { SECRET, WORDS } from '../support/model-calls';
import { ModelServer } from '../../tools/fake-model/model-server';
import type { TranscriptionReply } from '../../tools/fake-model/transcription-endpoint';

const clock = new FakeClock();
const CALM = new AbortController().signal;
const OGG = { bytes: Buffer.from('OggS and some sound'), mimeType: 'audio/ogg' };
let server: ModelServer;

beforeEach(async () => {
  server = await ModelServer.start();
});

afterEach(async () => {
  await server.close();
});

function client(): OpenAiTranscriptions {
  const { baseUrl } = server;
  return new OpenAiTranscriptions(
    { apiKey: SECRET, baseUrl, model: 'w-1', timeoutMs: 5000 },
    clock,
  );
}

async function failureOf(reply: TranscriptionReply): Promise<Error> {
  server.transcriptions.next(reply);
  const error: unknown = await client()
    .transcribe(OGG, CALM)
    .catch((e: unknown) => e);
  if (error instanceof Error) return error;
  throw new Error('it did not fail');
}

test('uploads an audio under a name that the server accepts, and returns its text', async () => {
  server.transcriptions.next({ kind: 'text', text: '  I know\0 bread.\n' });

  const response = await client().transcribe(OGG, CALM);

  expect(response).toEqual({ text: 'I know  bread.', inputTokens: 14, outputTokens: 5 });
  expect(server.transcriptions.requests).toMatchObject([
    { authorization: `Bearer ${SECRET}`, model: 'w-1', fileName: 'voice.ogg', audio: OGG.bytes },
  ]);
});

test.each([
  ['audio/ogg', 'file_7.oga', 'voice.ogg'],
  ['audio/ogg; codecs=opus', null, 'voice.ogg'],
  ['audio/webm;codecs=opus', null, 'voice.webm'],
  ['audio/mp4', null, 'voice.mp4'],
  ['audio/mpeg', null, 'voice.mp3'],
  ['AUDIO/X-WAV', null, 'voice.wav'],
  ['application/octet-stream', 'My Name.M4A', 'voice.m4a'],
  ['application/octet-stream', 'letter.exe', 'voice.ogg'],
])('uploads %s named %s as %s, without the rest of the name', async (mimeType, fileName, as) => {
  await client().transcribe({ bytes: OGG.bytes, mimeType, fileName }, CALM);
  expect(server.transcriptions.requests).toMatchObject([{ fileName: as }]);
});

const OK = { kind: 'body', contentType: 'application/json' } as const;

test.each<[string, TranscriptionReply, string]>([
  ['an outage', { kind: 'status', status: 503, error: { message: WORDS } }, 'unavailable'],
  ['no such endpoint', { kind: 'status', status: 404, error: { message: WORDS } }, 'unavailable'],
  ['a refused key', { kind: 'status', status: 401, error: { message: SECRET } }, 'unavailable'],
  ['too many requests', { kind: 'status', status: 429, error: {} }, 'unavailable'],
  ['a refused audio', { kind: 'status', status: 400, error: { message: WORDS } }, 'bad_request'],
  ['silence', { kind: 'text', text: ' \n' }, 'empty'],
  ['an error inside 200', { ...OK, body: '{"error":{"code":502}}' }, 'unavailable'],
  ['a web page', { ...OK, contentType: 'text/html', body: WORDS }, 'unavailable'],
  ['no JSON', { ...OK, body: `{"${WORDS}` }, 'malformed'],
  ['no text', { ...OK, body: '{}' }, 'malformed'],
  ['a text that is none', { ...OK, body: '{"text":["a"]}' }, 'malformed'],
])('classifies %s, without text of the server or of a person', async (_, reply, kind) => {
  const error = await failureOf(reply);

  const isAway = error instanceof ModelUnavailableError;
  expect(isAway ? 'unavailable' : (error as ModelFailure).kind).toBe(kind);
  const told = JSON.stringify([error.message, (error as ModelFailure).fields, error.cause]);
  expect(told).not.toContain(WORDS);
  expect(told).not.toContain(SECRET);
});

test('sends no audio that is larger than the protocol allows', async () => {
  const bytes = Buffer.alloc(25 * 1024 * 1024 + 1);
  const asked = client().transcribe({ bytes, mimeType: 'audio/wav' }, CALM);
  await expect(asked).rejects.toMatchObject({ kind: 'bad_request' });
  expect(server.transcriptions.requests).toHaveLength(0);
});

test('sends one request to a server that is unavailable', async () => {
  const transcriptions = client();
  await server.goDown();
  await expect(transcriptions.transcribe(OGG, CALM)).rejects.toThrow(ModelUnavailableError);
  await server.comeUp();
  server.transcriptions.next({ kind: 'status', status: 500, error: {} });
  await expect(transcriptions.transcribe(OGG, CALM)).rejects.toThrow(ModelUnavailableError);
  expect(server.transcriptions.requests).toHaveLength(1);
});

test('ends the request after the timeout, as unavailable', async () => {
  server.transcriptions.next({ kind: 'silent' });
  const asked = client()
    .transcribe(OGG, CALM)
    .catch((e: unknown) => e);
  const request = await server.transcriptions.request(1);
  clock.advance(5000);
  expect(await asked).toBeInstanceOf(ModelUnavailableError);
  await request.closed;
});

test('ends the request when the caller aborts', async () => {
  server.transcriptions.next({ kind: 'silent' });
  const caller = new AbortController();
  const asked = client()
    .transcribe(OGG, caller.signal)
    .catch((e: unknown) => e);
  const request = await server.transcriptions.request(1);
  caller.abort();
  expect(await asked).toBeInstanceOf(ModelAbortedError);
  await request.closed;
});

test('refuses to transcribe inside a commit (I6)', async () => {
  const database = await openTestDatabase();
  const inside = database.units.run('test', (uow) =>
    uow.commit('test.remote', () => client().transcribe(OGG, CALM)),
  );
  await expect(inside).rejects.toThrow('model was called inside the commit "test.remote"');
  expect(server.transcriptions.requests).toHaveLength(0);
  await database.close();
});
