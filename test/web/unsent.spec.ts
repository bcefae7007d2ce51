/** What exists only on the page: it asks before it is left, and the field stays after the interview. */
import { ApiProblem } from '../../web/src/api/client';
import { storageKeys } from '../../web/src/state/storage-keys';
import { isFieldInUse } from '../../web/src/state/unsent';
import { Visit } from '../../web/src/state/visit';
import { aRecording, settled } from './fake-browser';
import { FakeApi, aPlatform, aSession } from './test-session';

const cv = () => new File(['pdf'], 'cv.pdf');
const offline = () => Promise.reject(new Error('offline'));

describe('a page that is closed or loaded again', () => {
  test('asks first while something is recorded, sent or unsent', async () => {
    const { session, api } = aSession();
    expect(session.wouldLose()).toBe(false);

    await session.recorder.start();
    expect(session.wouldLose()).toBe(true);
    api.upload = offline;
    await session.recorder.send();
    expect(session.wouldLose()).toBe(true);
    session.recorder.cancel();
    expect(session.wouldLose()).toBe(false);

    session.attachments.add([cv()]);
    expect(session.wouldLose()).toBe(true);
    await settled();
    expect(session.snapshot().attachments).toMatchObject([{ state: 'unsent' }]);
    expect(session.wouldLose()).toBe(true);
    api.upload = () => Promise.resolve(null);
    session.retryNow();
    await settled();
    expect(session.wouldLose()).toBe(false);
  });

  test('asks for neither a refused file nor a message, which is in storage', async () => {
    const { session, api } = aSession();
    api.sendFails = true;
    session.write('unsent');
    session.attachments.add([new File([], 'empty.pdf')]);
    await settled();

    expect(session.wouldLose()).toBe(false);
  });
});

test.each(['unsent', 'refused'])(
  'the field stays after the interview while a file in it is %s',
  async (state) => {
    const { session, api } = aSession();
    const error = state === 'unsent' ? new Error('offline') : new ApiProblem(415, 'type');
    api.upload = () => Promise.reject(error);
    expect(isFieldInUse(session.snapshot(), '')).toBe(false);

    session.attachments.add([cv()]);
    await settled();

    expect(session.snapshot().attachments).toMatchObject([{ state }]);
    expect(isFieldInUse(session.snapshot(), '')).toBe(true);
  },
);

describe('a session that the server no longer knows', () => {
  async function opened() {
    const api = new FakeApi();
    const { platform } = aPlatform();
    platform.storage.set(storageKeys('token').opened, '1');
    const visit = new Visit('token', api, platform);
    await visit.load();
    const session = visit.session();
    if (session === null) throw new Error('no conversation was opened');
    return { visit, api, session };
  }

  async function withUnsent() {
    const { visit, api, session } = await opened();
    // Never ends: the session is lost in its middle.
    api.upload = () => new Promise(() => undefined);
    session.attachments.add([cv()]);
    await session.recorder.start();
    api.readFails = new ApiProblem(401, 'session_unknown');
    session.wentOffline();
    await settled();
    expect(session.snapshot().isSessionLost).toBe(true);
    expect(visit.session()?.wouldLose()).toBe(true);
    api.readFails = null;
    api.calls.length = 0;
    return { visit, api };
  }

  test('keeps a recording and a file, and the next session of the conversation sends them', async () => {
    const { visit, api } = await withUnsent();

    api.upload = () => Promise.resolve(null);
    await visit.load();
    api.source.connect();
    await settled();

    expect(api.calls.filter((call) => /^(file|voice)/.test(call))).toEqual([
      'file id1 cv.pdf',
      'voice id2',
    ]);
    expect(visit.session()?.wouldLose()).toBe(false);
  });

  test('gives nothing of it to another conversation', async () => {
    const { visit, api } = await withUnsent();

    api.view = { ...api.view, id: 'another' };
    await visit.load();
    api.source.connect();
    await settled();

    expect(api.calls.filter((call) => /^(file|voice)/.test(call))).toEqual([]);
  });

  test('releases the microphone', async () => {
    const { session, api, platform } = aSession();
    const stop = jest.fn(() => Promise.resolve(new Blob(['sound'])));
    platform.nextRecording = () => Promise.resolve(aRecording({ stop }));
    await session.recorder.start();

    api.readFails = new ApiProblem(401, 'session_unknown');
    session.wentOffline();
    await settled();

    expect(stop).toHaveBeenCalledTimes(1);
    expect(api.calls.filter((call) => call.startsWith('voice'))).toEqual([]);
  });
});
