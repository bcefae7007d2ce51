/** What the candidate asks for beside sending an answer: a person, their data, to leave this device. */
import { ApiProblem } from '../../web/src/api/client';
import { aView, settled } from './fake-browser';
import { aSession } from './test-session';

describe('what is asked for during the interview', () => {
  test('leaves for Telegram by a fresh link, and stays when there is none', async () => {
    const { session, api, wentTo } = aSession();

    await session.requests.continueInTelegram();
    api.continues = new ApiProblem(409, 'channel_off');

    await expect(session.requests.continueInTelegram()).rejects.toBe(api.continues);
    expect(wentTo).toEqual(['https://t.me/bot?start=x']);
  });

  test('returns to the interview, and shows that a person has it when they were quicker', async () => {
    const { session, api } = aSession(aView({ status: 'handed_over', owner: 'asked' }));
    const owner = (): string => session.snapshot().conversation.view.owner;

    api.view = aView();
    await session.requests.act('resume');
    expect([api.calls, owner()]).toEqual([['resume', 'read'], 'model']);

    api.view = aView({ status: 'handed_over', owner: 'person' });
    api.tellFails = new ApiProblem(409, 'conversation_with_person');
    await expect(session.requests.act('resume')).rejects.toBe(api.tellFails);
    await settled();
    expect(owner()).toBe('person');
  });
});

describe('the data of a candidate', () => {
  test('is saved as a file', async () => {
    const { session, saved } = aSession();
    await session.requests.downloadData('мои-данные.json');
    const [name, content] = saved;
    expect(name).toBe('мои-данные.json');
    expect(await (content as Blob).text()).toBe('{"profile":{"name":"Ada"}}');
  });

  test('is removed from the browser once the server has erased it, and no request follows', async () => {
    const { session, api, storage, timers, clock, gone } = aSession(aView({ hasBuffer: true }));
    api.source.connect();
    api.sendFails = true;
    session.write('unsent');
    session.noteDraft('half a thought');
    await session.recorder.start();
    await settled();
    expect(storage.keys()).toHaveLength(2);

    await session.end('erased');
    clock.nowMs += 21_000;
    timers.fire(20_000);
    await settled();

    expect(storage.keys()).toEqual([]);
    expect(session.snapshot().recorder).toEqual({ kind: 'idle' });
    expect(gone).toHaveBeenCalledTimes(1);
    expect(api.calls.filter((call) => call === 'read')).toEqual([]);
  });

  test('is kept when the deletion failed, and can be deleted later', async () => {
    const { session, api, storage, gone } = aSession();
    session.noteDraft('half a thought');
    api.forgetFails = new Error('offline');
    await expect(session.end('erased')).rejects.toThrow('offline');
    expect(storage.keys()).toHaveLength(1);
    expect(gone).not.toHaveBeenCalled();

    api.forgetFails = null;
    await session.end('erased');
    expect(gone).toHaveBeenCalledTimes(1);
  });

  test('counts as deleted when a repeated deletion finds no session', async () => {
    const { session, api, gone } = aSession();
    api.forgetFails = new ApiProblem(401, 'session_unknown');
    await session.end('erased');
    expect(gone).toHaveBeenCalledTimes(1);
  });
});

describe('a candidate who leaves a device', () => {
  test('leaves nothing unsent there, and the session sends no further request', async () => {
    const { session, api, storage, gone } = aSession();
    api.sendFails = true;
    session.write('unsent');
    session.noteDraft('half a thought');
    await settled();

    await session.end('left');

    expect(storage.keys()).toEqual([]);
    expect(api.calls.at(-1)).toBe('leave');
    expect(gone.mock.calls).toEqual([['left']]);
  });

  test('sees a failure to leave, and keeps what is unsent', async () => {
    const { session, api, storage, gone } = aSession();
    session.noteDraft('half a thought');
    api.forgetFails = new Error('offline');

    await expect(session.end('left')).rejects.toThrow('offline');

    expect(storage.keys()).toHaveLength(1);
    expect(gone).not.toHaveBeenCalled();
  });

  test('leaves nothing there from another tab either, whose session has ended', () => {
    const { session, api, storage } = aSession();
    session.noteDraft('half a thought');
    for (const key of storage.keys()) storage.remove(key);

    api.source.send('ended', {});
    session.hidden();

    expect(session.snapshot().isSessionLost).toBe(true);
    expect(storage.keys()).toEqual([]);
  });
});
