import { connect } from 'node:net';
import { PDF, PNG } from '../../support/sent-files';
import { FILES, LIMIT, largePdf, problemOf, readAsAdmin, readFile, sendFile } from './files-client';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp(FILES);
});
afterAll(() => app.close());

function audited(action: string): Promise<{ actor: string }[]> {
  return app.commit((tx) =>
    tx.query<{ actor: string }>('select actor from audit_event where action = $1 order by at', [
      action,
    ]),
  );
}

test('a download is saved under its own name, and a browser does not run it', async () => {
  const candidate = await TestCandidate.begin(app);
  const messageId = await sendFile(candidate, PNG, 'Моё (фото).png');

  const { headers } = await readFile(candidate, messageId);

  expect(headers.get('content-type')).toBe('image/png');
  expect(headers.get('content-disposition')).toBe(
    'attachment; filename="___ (____).png"; ' +
      "filename*=UTF-8''%D0%9C%D0%BE%D1%91%20%28%D1%84%D0%BE%D1%82%D0%BE%29.png",
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
});

test('a file is refused to another session, without a session and for an unknown message', async () => {
  const [ada, bob] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
  const messageId = await sendFile(ada, PDF);
  const unknown = { status: 404, code: 'file_unknown' };
  expect(await problemOf(await readFile(bob, messageId))).toEqual(unknown);
  expect(await problemOf(await readFile(ada, 'no-such'))).toEqual(unknown);
  expect(await problemOf(await readFile(ada, ada.conversationId))).toEqual(unknown);
  const open = await fetch(`${app.url}/api/v1/conversation/files/${messageId}`);
  expect(await problemOf(open)).toEqual({ status: 401, code: 'session_unknown' });
  const asAdmin = `${bob.conversationId}/files/${messageId}/content`;
  expect(await problemOf(await readAsAdmin(app, asAdmin))).toEqual(unknown);
  expect(
    (await readAsAdmin(app, `${ada.conversationId}/files/${messageId}/content`, 'wrong')).status,
  ).toBe(401);
});

test('recruiters see files in the transcript, list them and get each, and each read is audited', async () => {
  const candidate = await TestCandidate.begin(app);
  const messageId = await sendFile(candidate, PDF);
  const place = `${candidate.conversationId}/files`;

  const { items } = (await (await readAsAdmin(app, place)).json()) as { items: object[] };
  const content = await readAsAdmin(app, `${place}/${messageId}/content`);
  const transcript = await readAsAdmin(app, `${candidate.conversationId}/transcript`);

  expect(items).toEqual([
    expect.objectContaining({
      messageId,
      channel: 'web',
      state: 'kept',
      name: 'cv.pdf',
      mimeType: 'application/pdf',
      sizeBytes: PDF.length,
      problem: null,
    }),
  ]);
  expect(content.headers.get('content-type')).toBe('application/pdf');
  expect(content.headers.get('content-disposition')).toMatch(/^attachment; filename="cv.pdf"/);
  expect(content.headers.get('x-content-type-options')).toBe('nosniff');
  expect(content.headers.get('content-security-policy')).toContain('sandbox');
  expect(Buffer.from(await content.arrayBuffer()).equals(PDF)).toBe(true);
  const { lines } = (await transcript.json()) as { lines: { file: unknown }[] };
  expect(lines.map(({ file }) => file)).toEqual([
    null,
    null,
    {
      name: 'cv.pdf',
      mimeType: 'application/pdf',
      sizeBytes: PDF.length,
      state: 'kept',
      needsPassword: false,
    },
  ]);
  expect(await audited('file.list')).toEqual([{ actor: 'ADMIN_TOKEN' }]);
  expect(await audited('file.read')).toEqual([{ actor: 'ADMIN_TOKEN' }]);
  const unknown = await problemOf(await readAsAdmin(app, 'no-such/files'));
  expect(unknown).toEqual({ status: 404, code: 'conversation_unknown' });
});

test('a download that is cut off leaves no unit of work open', async () => {
  const candidate = await TestCandidate.begin(app);
  const messageId = await sendFile(candidate, largePdf(LIMIT));
  const { port, hostname } = new URL(app.url);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET /api/v1/conversation/files/${messageId} HTTP/1.1\r\nHost: x\r\n` +
          `Authorization: Bearer ${candidate.token}\r\n\r\n`,
      );
    });
    socket.once('data', () => socket.destroy());
    socket.once('close', () => {
      resolve();
    });
  });
  const whole = await readFile(candidate, messageId);
  expect((await whole.arrayBuffer()).byteLength).toBe(LIMIT);
});

test('files are in the export, and are deleted with their candidate', async () => {
  const candidate = await TestCandidate.begin(app);
  const messageId = await sendFile(candidate, PDF);
  const response = await candidate.get('/api/v1/conversation/mydata');
  const { conversations, notes } = (await response.json()) as {
    conversations: { transcript: { file: object | null }[] }[];
    notes: Record<string, string>;
  };
  expect(conversations.flatMap(({ transcript }) => transcript).at(-1)?.file).toEqual({
    name: 'cv.pdf',
    type: 'application/pdf',
    bytes: PDF.length,
    state: 'kept',
    needsPassword: false,
    content: PDF.toString('base64'),
  });
  expect(notes).toHaveProperty('file');

  await candidate.post('forget', { confirm: 'erase' });

  const left = await app.commit((tx) =>
    tx.query('select 1 from file where message_id = $1', [messageId]),
  );
  expect(left).toEqual([]);
  expect((await readFile(candidate, messageId)).status).toBe(401);
  const gone = await readAsAdmin(app, `${candidate.conversationId}/files/${messageId}/content`);
  expect(await problemOf(gone)).toEqual({ status: 404, code: 'conversation_unknown' });
});
