/** Files of one conversation on the page. */
import { timeline } from '../../web/src/state/timeline';
import { aMessage, aView, settled } from './fake-browser';
import { aSession } from './test-session';

const FILE = {
  name: 'cv.pdf',
  mimeType: 'application/pdf',
  sizeBytes: 3,
  state: 'kept',
  needsPassword: false,
} as const;
const STORED = aMessage(3, {
  role: 'user',
  contentType: 'FILE',
  clientId: 'id1',
  text: '[file: cv.pdf, 3 B]',
  file: FILE,
});

test('a file is sent, and the transcript shows it instead of its name as a text', async () => {
  const { session, api } = aSession();
  api.source.connect();
  api.view = aView({ messages: [STORED] });

  session.attachments.add([new File(['pdf'], 'cv.pdf')]);
  expect(session.snapshot().attachments).toMatchObject([{ name: 'cv.pdf', state: 'sending' }]);
  await settled();

  expect(api.calls).toContain('file id1 cv.pdf');
  const { conversation, outbox, attachments } = session.snapshot();
  expect(attachments).toEqual([]);
  expect(timeline(conversation, outbox)).toMatchObject([
    { speaker: 'candidate', lines: [{ file: FILE, messageId: STORED.id }] },
  ]);
});

test('no reply begins while a file is being sent, and Done waits for it', async () => {
  const { session, api } = aSession();

  session.attachments.add([new File(['pdf'], 'cv.pdf')]);
  session.finishAnswer();
  expect(api.calls).toEqual(['typing', 'file id1 cv.pdf']);
  await settled();

  expect(api.calls).toContain('done id1');
});

test('Done does not end the answer without a file that cannot be sent, and sends it again', async () => {
  const { session, api } = aSession();
  const told = () => api.calls.filter((call) => /^(file|done)/.test(call));
  api.upload = () => Promise.reject(new Error('offline'));
  session.attachments.add([new File(['pdf'], 'cv.pdf')]);
  session.finishAnswer();
  await settled();
  expect(told()).toEqual(['file id1 cv.pdf']);
  expect(session.snapshot().isFinishing).toBe(false);

  api.upload = () => Promise.resolve(null);
  session.finishAnswer();
  await settled();

  expect(told()).toEqual(['file id1 cv.pdf', 'file id1 cv.pdf', 'done id1']);
});

test('Done sends an unsent file first', async () => {
  const { session, api } = aSession();
  api.upload = () => Promise.reject(new Error('offline'));
  session.attachments.add([new File(['pdf'], 'cv.pdf')]);
  await settled();

  session.finishAnswer();
  await settled();

  expect(api.calls.filter((call) => /^(file|done)/.test(call))).toEqual([
    'file id1 cv.pdf',
    'file id1 cv.pdf',
  ]);
  expect(session.snapshot().isFinishing).toBe(false);
});

test('a file of the transcript is saved under its name', async () => {
  const { session, saved } = aSession();

  await session.requests.downloadFile('m3', 'cv.pdf');

  expect(saved[0]).toBe('cv.pdf');
  expect(await (saved[1] as Blob).text()).toBe('content of m3');
});

test('an unsent file is sent again when the stream opens again', async () => {
  const { session, api } = aSession();
  api.upload = () => Promise.reject(new Error('offline'));
  session.attachments.add([new File(['pdf'], 'cv.pdf')]);
  await settled();
  expect(session.snapshot().attachments).toMatchObject([{ state: 'unsent' }]);

  api.upload = () => Promise.resolve(null);
  api.source.connect();
  await settled();

  expect(session.snapshot().attachments).toEqual([]);
});

test('unsent files are dropped when the candidate leaves the device', async () => {
  const { session } = aSession();
  session.attachments.add([new File([], 'empty.pdf')]);

  await session.end('left');

  expect(session.snapshot().attachments).toEqual([]);
});

test('a file from another channel is read again when it has arrived', async () => {
  const { session, api } = aSession();
  api.source.connect();
  const announced = { ...STORED, clientId: null, file: { ...FILE, state: 'announced' as const } };
  api.source.send('message', announced);
  const reads = () => api.calls.filter((call) => call === 'read').length;
  const before = reads();
  const state = { status: 'active', owner: 'model', hasBuffer: true, replying: false };
  const progress = { question: 1, of: 7 };
  api.source.send('state', { ...state, progress, transcribing: 0, filesArriving: 1 });
  await settled();
  expect(reads()).toBe(before);

  api.view = aView({ messages: [{ ...announced, file: FILE }] });
  api.source.send('state', { ...state, progress, transcribing: 0, filesArriving: 0 });
  await settled();

  expect(reads()).toBe(before + 1);
  expect(session.snapshot().conversation.messages).toMatchObject([{ file: { state: 'kept' } }]);
});
