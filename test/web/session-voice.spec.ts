/** Voice messages of one conversation on the page. */
import { aMessage, aView, settled } from './fake-browser';
import { aSession } from './test-session';

test('a voice is recorded, sent, and read again when it has been transcribed', async () => {
  const { session, api } = aSession();
  api.source.connect();
  await session.recorder.start();
  expect(session.snapshot()).toMatchObject({ canRecord: true, recorder: { kind: 'recording' } });
  const voice = { role: 'user', contentType: 'VOICE', clientId: 'id1' } as const;
  api.view = aView({ messages: [aMessage(3, { ...voice, text: '', transcribing: true })] });

  await session.recorder.send();
  await settled();
  expect(session.snapshot().conversation.messages).toMatchObject([{ transcribing: true }]);
  const reads = api.calls.filter((call) => call === 'read').length;
  const state = { status: 'active', hasBuffer: true, replying: false };
  const progress = { question: 1, of: 7 };
  api.source.send('state', { ...state, progress, transcribing: 1 });
  await settled();
  expect(api.calls.filter((call) => call === 'read')).toHaveLength(reads);
  api.view = aView({ messages: [aMessage(3, { ...voice, text: 'I know bread.' })] });
  api.source.send('state', { ...state, progress, transcribing: 0 });
  await settled();

  expect(session.snapshot().conversation.messages).toMatchObject([{ text: 'I know bread.' }]);
  expect(session.snapshot().announcer.recent).toMatchObject([{ text: 'I know bread.' }]);
  expect(api.calls).toContain('voice id1');
  expect(api.calls).toContain('recording');
});

test('an unsent recording is sent again when the network returns', async () => {
  const { session, api } = aSession();
  api.upload = () => Promise.reject(new Error('offline'));
  await session.recorder.start();
  await session.recorder.send();
  expect(session.snapshot().recorder).toEqual({ kind: 'unsent' });

  api.upload = () => Promise.resolve(null);
  session.cameOnline();
  await settled();

  expect(session.snapshot().recorder).toEqual({ kind: 'idle' });
  expect(api.calls.filter((call) => call === 'voice id1')).toHaveLength(2);
});

test('a correction is sent and read again', async () => {
  const { session, api } = aSession();
  await session.requests.correct('m3', 'I know rye.');
  expect(api.calls).toEqual(['correct m3: I know rye.', 'read']);
});

test('nothing is recorded where the server does not transcribe', () => {
  const { session } = aSession(aView({ voice: false }));
  expect(session.snapshot().canRecord).toBe(false);
});

describe('Done', () => {
  const told = (calls: string[]) => calls.filter((call) => /^(voice|done)/.test(call));

  test('waits for a voice that is being sent, and names it', async () => {
    const { session, api } = aSession();
    let arrive: (value: null) => void = () => undefined;
    api.upload = () => new Promise((resolve) => (arrive = resolve));
    await session.recorder.start();
    void session.recorder.send();
    session.finishAnswer();
    await settled();
    expect(told(api.calls)).toEqual(['voice id1']);
    expect(session.snapshot().isFinishing).toBe(true);

    arrive(null);
    await settled();

    expect(told(api.calls)).toEqual(['voice id1', 'done id1']);
  });

  test('sends the recording first while the candidate speaks', async () => {
    const { session, api } = aSession();
    await session.recorder.start();

    session.finishAnswer();
    await settled();

    expect(told(api.calls)).toEqual(['voice id1', 'done id1']);
  });

  test('does not end the answer without a recording that cannot be sent, and sends it again', async () => {
    const { session, api } = aSession();
    api.upload = () => Promise.reject(new Error('offline'));
    await session.recorder.start();
    session.finishAnswer();
    await settled();
    expect(told(api.calls)).toEqual(['voice id1']);
    expect(session.snapshot()).toMatchObject({ isFinishing: false, recorder: { kind: 'unsent' } });

    api.upload = () => Promise.resolve(null);
    session.finishAnswer();
    await settled();

    expect(told(api.calls)).toEqual(['voice id1', 'voice id1', 'done id1']);
  });

  test('is not sent after the candidate has left, when the upload ends', async () => {
    const { session, api } = aSession();
    let arrive: (value: null) => void = () => undefined;
    api.upload = () => new Promise((resolve) => (arrive = resolve));
    await session.recorder.start();
    session.finishAnswer();
    await settled();

    await session.end('left');
    arrive(null);
    await settled();

    expect(session.snapshot().recorder).toEqual({ kind: 'idle' });
    expect(api.calls.at(-1)).toBe('leave');
  });
});
