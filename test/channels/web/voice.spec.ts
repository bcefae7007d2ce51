import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { ModelServer } from '../../../tools/fake-model/model-server';
import { ADMIN_TOKEN as ADMIN } from '../../support/secrets';
import { aac, flac, mp3, mp4, oggOpus, wav, webmWithLength } from '../../support/recordings';

const LIMIT = 20 * 1024 * 1024;
const SOUND = new TextEncoder().encode('some sound');

let model: ModelServer;
let app: TestApp;

beforeAll(async () => {
  model = await ModelServer.start();
  app = await startTestApp({
    env: {
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_TRANSCRIPTION_MODEL: 'w-1',
      INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.3',
      ADMIN_TOKEN: ADMIN,
    },
  });
});

afterAll(async () => {
  await app.close();
  await model.close();
});

interface Problem {
  readonly status: number;
  readonly code: string;
}

async function problemOf(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const { status, code } = (await response.json()) as Problem;
  expect(status).toBe(response.status);
  return { status, code };
}

function admin(path: string, token = ADMIN): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${app.url}/api/v1/admin/conversations/${path}`, { headers });
}

test('a voice is accepted, shown as being transcribed, then as its transcript, and gets a reply', async () => {
  const candidate = await TestCandidate.begin(app);
  model.transcriptions.hold();

  const response = await candidate.speak('v1', SOUND, 'audio/webm;codecs=opus');

  expect(response.status).toBe(202);
  const accepted = (await response.json()) as { messageId: string };
  expect(accepted).toMatchObject({ id: 'v1', seq: 3 });
  const waiting = await candidate.view();
  expect(waiting).toMatchObject({ voice: true, transcribing: 1, hasBuffer: true });
  expect(waiting.messages.at(-1)).toMatchObject({
    id: accepted.messageId,
    clientId: 'v1',
    contentType: 'VOICE',
    transcribing: true,
    text: '',
  });
  model.transcriptions.release();
  const view = await candidate.waitFor(({ interviewStep }) => interviewStep === 1);
  expect(view).toMatchObject({ transcribing: 0 });
  expect(view.messages[2]).toMatchObject({ contentType: 'VOICE', text: 'I know bread.' });
  expect(view.messages[2]).not.toHaveProperty('transcribing');
  expect(view.messages.filter(({ role }) => role === 'system')).toEqual([]);
});

test('the same id again is the same voice; another audio under it is refused', async () => {
  const candidate = await TestCandidate.begin(app);
  const first = await (await candidate.speak('v1', SOUND)).json();
  const again = await candidate.speak('v1', SOUND);
  expect(again.status).toBe(202);
  expect(await again.json()).toMatchObject({
    messageId: (first as { messageId: string }).messageId,
  });
  const other = await candidate.speak('v1', new TextEncoder().encode('another sound'));
  expect(await problemOf(other)).toEqual({ status: 409, code: 'message_id_reused' });
  const text = await candidate.send('v1', 'a text');
  expect(await problemOf(text)).toEqual({ status: 409, code: 'message_id_reused' });
  expect((await candidate.view()).messages).toHaveLength(3);
});

test('a voice message that is stored is found after the end; a new one is refused', async () => {
  const candidate = await TestCandidate.begin(app);
  const first = (await (await candidate.speak('v1', SOUND)).json()) as { messageId: string };
  expect((await candidate.post('withdraw', {})).ok).toBe(true);

  const again = await candidate.speak('v1', SOUND);
  expect(again.status).toBe(202);
  expect(await again.json()).toMatchObject({ messageId: first.messageId });
  const closed = { status: 409, code: 'conversation_closed' };
  expect(await problemOf(await candidate.speak('v2', SOUND))).toEqual(closed);
  const { messages } = await candidate.view();
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1);
});

test('a transcript can be corrected by either id, and only with text', async () => {
  const candidate = await TestCandidate.begin(app);
  await candidate.speak('v/1', SOUND);
  const view = await candidate.waitFor(({ messages }) => messages[2]?.text === 'I know bread.');
  const place = (id: string) => `messages/${encodeURIComponent(id)}/correction`;

  const corrected = await candidate.post(place('v/1'), { text: 'I know rye.' });
  expect(corrected.status).toBe(202);
  const blank = await candidate.post(place(view.messages[2]?.id ?? ''), { text: ' ' });
  expect(await problemOf(blank)).toEqual({ status: 422, code: 'blank_message' });
  const nothing = await candidate.post(place('v2'), { text: 'x' });
  expect(await problemOf(nothing)).toEqual({ status: 404, code: 'message_unknown' });
  const shapeless = await candidate.post(place('v/1'), { words: 'x' });
  expect(await problemOf(shapeless)).toEqual({ status: 422, code: 'invalid_body' });
  await candidate.waitFor(({ messages }) => messages.some(({ text }) => text === 'I know rye.'));
});

test('nothing is accepted before consent or without a session', async () => {
  const stranger = await TestCandidate.arrive(app);
  expect(await problemOf(await stranger.speak('v1', SOUND))).toEqual({
    status: 409,
    code: 'consent_required',
  });
  const response = await fetch(`${app.url}/api/v1/conversation/voice?id=v1`, {
    method: 'POST',
    headers: { 'content-type': 'audio/webm' },
    body: SOUND,
  });
  expect(await problemOf(response)).toEqual({ status: 401, code: 'session_unknown' });
});

test.each([
  ['text/plain', 415, 'unsupported_media_type'],
  ['application/json', 415, 'unsupported_media_type'],
  ['video/mp4', 415, 'unsupported_media_type'],
  ['audio/midi', 415, 'unsupported_media_type'],
])('a body of type %s is refused', async (type, status, code) => {
  const candidate = await TestCandidate.begin(app);
  const body = new TextEncoder().encode('{}');
  expect(await problemOf(await candidate.speak('v1', body, type))).toEqual({ status, code });
});

test.each([
  ['audio/x-wav', wav(), 'audio/wav', 'voice.wav', 4],
  ['audio/x-m4a', mp4(), 'audio/x-m4a', 'voice.m4a', 4],
  ['audio/mp3', mp3(), 'audio/mpeg', 'voice.mp3', 3.984],
  ['audio/aac', aac(), 'audio/aac', 'voice.m4a', 4.032],
  ['audio/flac', flac(), 'audio/flac', 'voice.flac', 4],
  ['application/ogg', oggOpus(), 'audio/ogg', 'voice.ogg', 4],
  ['video/webm', webmWithLength(), 'video/webm', 'voice.webm', 4],
  ['audio/webm', mp3(), 'audio/mpeg', 'voice.mp3', 3.984],
])('audio sent as %s is told by its bytes, with its own length', async (type, bytes, ...told) => {
  const candidate = await TestCandidate.begin(app);
  const [fileType, fileName, seconds] = told;

  const response = await candidate.speak('v1', new Uint8Array(bytes), type);

  expect(response.status).toBe(202);
  const { messageId } = (await response.json()) as { messageId: string };
  await candidate.waitFor(({ interviewStep }) => interviewStep === 1);
  expect(model.transcriptions.requests.at(-1)).toMatchObject({ fileType, fileName });
  const [row] = await app.sql<{ seconds: number }>(
    'select duration_s as seconds from voice where message_id = $1',
    [messageId],
  );
  expect(row?.seconds).toBeCloseTo(seconds, 1);
});

test('no other endpoint accepts audio', async () => {
  const candidate = await TestCandidate.begin(app);
  const response = await fetch(`${app.url}/api/v1/conversation/messages`, {
    method: 'POST',
    headers: { ...candidate.headers, 'content-type': 'audio/webm' },
    body: SOUND,
  });
  expect(await problemOf(response)).toEqual({ status: 415, code: 'unsupported_media_type' });
});

test('an empty voice and one without an id are refused', async () => {
  const candidate = await TestCandidate.begin(app);
  const empty = await candidate.speak('v1', new Uint8Array());
  expect(await problemOf(empty)).toEqual({ status: 422, code: 'voice_empty' });
  expect(await problemOf(await candidate.speak('', SOUND))).toEqual({
    status: 422,
    code: 'invalid_body',
  });
});

test('a voice of 20 MB is accepted; a byte more is too large, announced or not', async () => {
  const candidate = await TestCandidate.begin(app);
  const largest = new Uint8Array(LIMIT).fill(7);
  expect((await candidate.speak('v1', largest)).status).toBe(202);
  const view = await candidate.waitFor(({ transcribing }) => transcribing === 0);
  expect(model.transcriptions.requests.at(-1)?.audio.length).toBe(LIMIT);
  expect(view.messages[2]?.text).toBe('I know bread.');

  const announced = await candidate.speak('v2', new Uint8Array(LIMIT + 1));
  expect(await problemOf(announced)).toEqual({ status: 413, code: 'body_too_large' });
  const parts = new ReadableStream({
    start(controller) {
      for (let sent = 0; sent <= LIMIT; sent += 2 ** 20)
        controller.enqueue(new Uint8Array(2 ** 20));
      controller.close();
    },
  });
  const init = { method: 'POST', body: parts, duplex: 'half' } as RequestInit;
  const headers = { ...candidate.headers, 'content-type': 'audio/webm' };
  const place = `${app.url}/api/v1/conversation/voice?id=v3`;
  expect(await problemOf(await fetch(place, { ...init, headers }))).toEqual({
    status: 413,
    code: 'body_too_large',
  });
  expect((await candidate.view()).messages.filter(({ role }) => role === 'user')).toHaveLength(1);
});

test('the event stream shows when a voice is being transcribed and when it has been', async () => {
  const candidate = await TestCandidate.begin(app);
  const leave = new AbortController();
  const stream = await candidate.get('/api/v1/conversation/events', {}, leave.signal);
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  let heard = '';
  const hears = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(heard)) {
      heard += new TextDecoder().decode((await reader.read()).value);
    }
  };
  model.transcriptions.hold();
  await candidate.speak('v1', SOUND);
  await hears(/event: message\n.*"contentType":"VOICE".*"transcribing":true/);
  await hears(/event: state\n.*"transcribing":1/);
  model.transcriptions.release();
  await hears(/event: state\n.*"transcribing":0/);
  leave.abort();
});

test('recruiters list the recordings of a conversation and get each as it was', async () => {
  const candidate = await TestCandidate.begin(app);
  const { messageId } = (await (await candidate.speak('v1', SOUND, 'audio/ogg')).json()) as {
    messageId: string;
  };
  await candidate.waitFor(({ transcribing }) => transcribing === 0);

  const list = await admin(`${candidate.conversationId}/voices`);
  expect(await list.json()).toEqual({
    items: [
      expect.objectContaining({
        messageId,
        channel: 'web',
        state: 'heard',
        mimeType: 'audio/ogg',
        sizeBytes: SOUND.length,
        hasAudio: true,
        transcript: 'I know bread.',
        problem: null,
      }),
    ],
    olderCursor: null,
  });
  const audio = await admin(`${candidate.conversationId}/voices/${messageId}/audio`);
  expect(audio.status).toBe(200);
  expect(audio.headers.get('content-type')).toBe('audio/ogg');
  expect(audio.headers.get('x-content-type-options')).toBe('nosniff');
  expect(audio.headers.get('cache-control')).toBe('private, no-store');
  expect(audio.headers.get('content-disposition')).toContain('attachment');
  expect(new Uint8Array(await audio.arrayBuffer())).toEqual(SOUND);
});

test('a recording is refused with a wrong token, conversation or message', async () => {
  const candidate = await TestCandidate.begin(app);
  const other = await TestCandidate.begin(app);
  const { messageId } = (await (await candidate.speak('v1', SOUND)).json()) as {
    messageId: string;
  };
  const at = `${candidate.conversationId}/voices/${messageId}/audio`;
  expect((await admin(at, 'wrong')).status).toBe(401);
  expect((await admin(at, candidate.token)).status).toBe(401);
  for (const place of [
    `${other.conversationId}/voices/${messageId}/audio`,
    `${candidate.conversationId}/voices/no-such/audio`,
  ]) {
    expect(await problemOf(await admin(place))).toEqual({ status: 404, code: 'voice_unknown' });
  }
  for (const place of [`no-such/voices/${messageId}/audio`, 'no-such/voices']) {
    const problem = await problemOf(await admin(place));
    expect(problem).toEqual({ status: 404, code: 'conversation_unknown' });
  }
});

test('the page may use the microphone and nothing else', async () => {
  const response = await fetch(`${app.url}/api/v1/conversation`);
  const policy = response.headers.get('permissions-policy') ?? '';
  expect(policy).toContain('microphone=(self)');
  expect(policy).toContain('camera=()');
});
