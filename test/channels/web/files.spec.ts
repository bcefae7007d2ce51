import { DOCX_TYPE, PDF, PNG, docx } from '../../support/sent-files';
import { ENCRYPTED_PDFS } from '../../interview/files/encrypted-pdfs';
import { FILES, LIMIT, largePdf, problemOf, readAsAdmin, readFile, sendFile } from './files-client';
import { EventSourceReader } from './event-source';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp(FILES);
});
afterAll(() => app.close());

test('a file is part of the answer by its name and size, and the model is told that it cannot open it', async () => {
  const candidate = await TestCandidate.begin(app);
  await candidate.send('t1', 'Here is my CV.');

  const response = await candidate.attach('f1', PDF, { name: 'Ada’s CV.pdf' });

  expect(response.status).toBe(202);
  expect(await response.json()).toMatchObject({ id: 'f1', seq: 4 });
  const view = await candidate.waitFor(({ interviewStep }) => interviewStep === 1);
  expect(view.messages[3]).toMatchObject({
    clientId: 'f1',
    contentType: 'FILE',
    text: `[file: Ada’s CV.pdf, ${PDF.length} B]`,
    file: {
      name: 'Ada’s CV.pdf',
      mimeType: 'application/pdf',
      sizeBytes: PDF.length,
      state: 'kept',
      needsPassword: false,
    },
  });
  expect(view.messages[2]).not.toHaveProperty('file');
  const prompt = app.model.promptWith('Here is my CV.');
  const { answer } = app.model.dataWith('Here is my CV.');
  expect(answer).toBe(`Here is my CV.\n\n[file: Ada’s CV.pdf, ${PDF.length} B]`);
  expect(prompt).toContain('names an attached file. You cannot open it');
  expect(prompt).not.toContain('endobj');
});

test.each([
  ['cv.docx', DOCX_TYPE, docx(), DOCX_TYPE, 'cv.docx'],
  ['face.png', 'image/png', PNG, 'image/png', 'face.png'],
  // Its declared name and type are ignored.
  ['face.jpg', 'image/jpeg', PNG, 'image/png', 'face.jpg.png'],
  ['cv.exe', 'application/octet-stream', PDF, 'application/pdf', 'cv.exe.pdf'],
])('%s sent as %s is kept as what it is', async (name, claimed, bytes, type, shown) => {
  const candidate = await TestCandidate.begin(app);
  expect((await candidate.attach('f1', bytes, { name, type: claimed })).status).toBe(202);
  expect((await candidate.view()).messages[2]?.file).toEqual({
    name: shown,
    mimeType: type,
    sizeBytes: bytes.length,
    state: 'kept',
    needsPassword: false,
  });
});

test('a PDF that needs a password is kept, and candidate and recruiters are told', async () => {
  const candidate = await TestCandidate.begin(app);
  const messageId = await sendFile(candidate, Buffer.from(ENCRYPTED_PDFS.lockedAes256, 'base64'));

  const told = { state: 'kept', needsPassword: true };
  expect((await candidate.view()).messages[2]?.file).toMatchObject(told);
  const of = candidate.conversationId;
  const { items } = (await (await readAsAdmin(app, `${of}/files`)).json()) as { items: unknown };
  expect(items).toEqual([expect.objectContaining({ messageId, ...told })]);
  const transcript = await (await readAsAdmin(app, `${of}/transcript`)).text();
  expect(transcript).toContain('"needsPassword":true');
});

test('a Word document with macros is refused with a code of its own', async () => {
  const candidate = await TestCandidate.begin(app);
  const response = await candidate.attach('f1', docx({ 'word/vbaProject.bin': 'macros' }));
  expect(await problemOf(response)).toEqual({ status: 415, code: 'file_word_format' });
});

test('in a Russian interview, files without a name and the export have Russian names', async () => {
  const candidate = await TestCandidate.begin(app);
  await app.commit((tx) =>
    tx.query(`update conversation set language = 'ru' where id = $1`, [candidate.conversationId]),
  );
  await candidate.attach('f1', PDF, { name: '' });

  expect((await candidate.view()).messages[2]?.file).toMatchObject({ name: 'файл.pdf' });
  const { headers } = await candidate.get('/api/v1/conversation/mydata');
  expect(headers.get('content-disposition')).toContain(
    `filename*=UTF-8''${encodeURIComponent('мои-данные.json')}`,
  );
});

test('the same id again is the same file; another file, a voice or a text under it is refused', async () => {
  const candidate = await TestCandidate.begin(app);
  const messageId = await sendFile(candidate, PDF);
  const again = await candidate.attach('f1', PDF, { name: 'another name.pdf' });
  expect(again.status).toBe(202);
  expect(await again.json()).toMatchObject({ messageId });
  const reused = { status: 409, code: 'message_id_reused' };
  expect(await problemOf(await candidate.attach('f1', PNG))).toEqual(reused);
  expect(await problemOf(await candidate.send('f1', 'a text'))).toEqual(reused);
  const voice = await candidate.speak('f1', new TextEncoder().encode('sound'));
  expect(await problemOf(voice)).toEqual(reused);
  const { messages } = await candidate.view();
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1);
});

test('a file that is stored is found after the end; a new one is refused', async () => {
  const candidate = await TestCandidate.begin(app);
  const messageId = await sendFile(candidate, PDF);
  expect((await candidate.post('withdraw', {})).ok).toBe(true);

  const again = await candidate.attach('f1', PDF);
  expect(again.status).toBe(202);
  expect(await again.json()).toMatchObject({ messageId });
  const closed = { status: 409, code: 'conversation_closed' };
  expect(await problemOf(await candidate.attach('f2', PNG))).toEqual(closed);
  const { messages } = await candidate.view();
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1);
});

test('a file of another type is refused, and nothing of it is stored', async () => {
  const candidate = await TestCandidate.begin(app);
  const unsupported = { status: 415, code: 'file_type_unsupported' };
  for (const bytes of ['<script>alert(1)</script>', 'MZ', 'PK\x03\x04 but no archive']) {
    const response = await candidate.attach('f1', Buffer.from(bytes));
    expect(await problemOf(response)).toEqual(unsupported);
  }
  const empty = await candidate.attach('f1', Buffer.alloc(0));
  expect(await problemOf(empty)).toEqual({ status: 422, code: 'file_empty' });
  const other = { status: 415, code: 'unsupported_media_type' };
  for (const type of ['text/plain', 'text/html', 'audio/webm', 'application/zip']) {
    expect(await problemOf(await candidate.attach('f1', PDF, { type }))).toEqual(other);
  }
  const asVoice = await candidate.speak('f1', new Uint8Array(PDF), 'application/pdf');
  expect(await problemOf(asVoice)).toEqual(other);
  const long = await candidate.attach('f1', PDF, { name: 'x'.repeat(1001) });
  expect(await problemOf(long)).toEqual({ status: 422, code: 'invalid_body' });
  const nameless = await candidate.attach('', PDF);
  expect(await problemOf(nameless)).toEqual({ status: 422, code: 'invalid_body' });
  expect((await candidate.view()).messages.filter(({ role }) => role === 'user')).toEqual([]);
});

test('nothing is accepted before consent or without a session', async () => {
  const stranger = await TestCandidate.arrive(app);
  expect(await problemOf(await stranger.attach('f1', PDF))).toEqual({
    status: 409,
    code: 'consent_required',
  });
  const response = await fetch(`${app.url}/api/v1/conversation/files?id=f1&name=cv.pdf`, {
    method: 'POST',
    headers: { 'content-type': 'application/pdf' },
    body: new Uint8Array(PDF),
  });
  expect(await problemOf(response)).toEqual({ status: 401, code: 'session_unknown' });
});

test('a page of another site cannot upload with the cookie', async () => {
  const candidate = await TestCandidate.begin(app);
  const response = await fetch(`${app.url}/api/v1/conversation/files?id=f1&name=cv.pdf`, {
    method: 'POST',
    headers: {
      cookie: `colloquy_session=${candidate.token}`,
      origin: 'https://evil.example',
      'content-type': 'application/pdf',
    },
    body: new Uint8Array(PDF),
  });
  expect(await problemOf(response)).toEqual({ status: 403, code: 'origin_refused' });
});

test('a file of the largest size is returned unchanged; one byte more is refused', async () => {
  const candidate = await TestCandidate.begin(app);
  expect(await candidate.view()).toMatchObject({ limits: { maxFileBytes: LIMIT } });
  const bytes = largePdf(LIMIT);
  const messageId = await sendFile(candidate, bytes);

  const response = await readFile(candidate, messageId);

  expect(response.headers.get('content-length')).toBe(String(LIMIT));
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  const larger = await candidate.attach('f2', largePdf(LIMIT + 1));
  expect(await problemOf(larger)).toEqual({ status: 413, code: 'body_too_large' });
});

test('the bytes of files and audio of a conversation are limited together, with a problem code', async () => {
  const candidate = await TestCandidate.begin(app);
  for (const id of ['f1', 'f2', 'f3']) {
    expect((await candidate.attach(id, largePdf(LIMIT))).status).toBe(202);
  }
  const full = await candidate.attach('f4', largePdf(LIMIT));
  expect(await problemOf(full)).toEqual({ status: 409, code: 'files_full' });
  const redelivered = await candidate.attach('f1', largePdf(LIMIT));
  expect(redelivered.status).toBe(202);
  const voice = await candidate.speak('v1', new Uint8Array(largePdf(LIMIT)));
  expect(await problemOf(voice)).toEqual({ status: 409, code: 'audio_full' });
  expect((await candidate.attach('f5', PDF)).status).toBe(202);
  expect((await candidate.send('t1', 'Words still fit.')).status).toBe(202);
});

test('the event stream shows the file', async () => {
  const candidate = await TestCandidate.begin(app);
  const events = `${app.url}/api/v1/conversation/events`;
  const reader = await EventSourceReader.open(events, candidate.headers);
  // The reader asks for earlier messages by itself.
  await reader.until(({ names }) => names.includes('hello'));

  const id = await sendFile(candidate, PDF);
  await reader.until(({ names }) => names.includes('message'));
  reader.close();

  const file = { name: 'cv.pdf', mimeType: 'application/pdf' };
  expect(reader.of('message')[0]?.data).toMatchObject({ id, contentType: 'FILE', file });
});
