/** One conversation on the page: when it reads again, what it sends, when it gives up. */
import { ApiProblem } from '../../web/src/api/client';
import { aMessage, aView, settled } from './fake-browser';
import { aSession, hello } from './test-session';

const start = (messageId: string) => ['start', { messageId }] as const;
const delta = (messageId: string, text: string) =>
  ['delta', { messageId, offset: 0, text }] as const;
const notice = () =>
  ['message', aMessage(30, { role: 'system', notice: 'interviewer_away' })] as const;
const state = (facts: object) =>
  [
    'state',
    {
      status: 'active',
      owner: 'model',
      hasBuffer: false,
      replying: false,
      progress: { question: 1, of: 7 },
      ...facts,
    },
  ] as const;

type Opened = ReturnType<typeof aSession>;

describe('a conversation on the page', () => {
  test('reads again what was missed, when the stream says that the server is ahead', async () => {
    const { api, shown } = aSession();
    api.view = aView({ messages: [aMessage(1, { text: 'missed' })] });

    api.source.send('hello', hello(1));
    await settled();

    expect(shown()).toEqual(['missed']);
  });

  test('opens a fresh stream on a hole in a reply', () => {
    const { api } = aSession();
    api.source.send('delta', { messageId: 'r', offset: 7, text: 'x' });
    expect(api.streams).toBe(2);
  });

  test('reports typing at most every two seconds', () => {
    const { session, api, clock } = aSession();
    for (const [afterMs, text] of [
      [0, 'a'],
      [1_000, 'ab'],
      [1_000, 'abc'],
      [1_900, 'abcd'],
    ] as const) {
      clock.nowMs += afterMs;
      session.noteDraft(text);
    }
    expect(api.calls).toEqual(['typing', 'typing']);
  });

  test('reports no typing when there is neither text nor an open answer', () => {
    const { session, api } = aSession();
    session.noteDraft('  ');
    expect(api.calls).toEqual([]);
  });

  test('reports no typing after the interview', () => {
    const { session, api } = aSession(aView({ status: 'completed' }));
    session.noteDraft('an addition');
    expect(api.calls).toEqual([]);
  });

  test('keeps the draft', () => {
    const { session } = aSession();
    session.noteDraft('half a thought');
    expect(session.draft()).toBe('half a thought');
    session.noteDraft('');
    expect(session.draft()).toBe('');
  });

  test('ends the answer only after everything written has arrived', async () => {
    const { session, api, timers } = aSession();
    api.sendFails = true;
    session.write('one');
    session.finishAnswer();
    await settled();
    expect(api.calls).toEqual(['send one']);
    expect(session.snapshot().isFinishing).toBe(true);

    api.sendFails = false;
    timers.fire(1_000);
    await settled();

    expect(api.calls).toEqual(['send one', 'send one', 'done id1']);
    expect(session.snapshot().isFinishing).toBe(true);
  });

  test('names the newest acknowledged message with Done, also a file that is not shown yet', async () => {
    const { session, api } = aSession();
    session.write('one');
    session.attachments.add([new File(['pdf'], 'cv.pdf')]);
    session.finishAnswer();
    await settled();

    expect(api.calls.at(-1)).toBe('done id2');
  });

  test.each([
    ['the reply begins', [start('r'), delta('r', 'Thanks')]],
    ['a notice comes', [notice()]],
    ['nothing is pending any more', [state({ hasBuffer: true }), state({ hasBuffer: false })]],
  ] as const)('takes the answer until %s', async (_, events) => {
    const { session, api } = aSession();
    api.source.connect();
    session.write('one');
    session.finishAnswer();
    await settled();
    expect(session.snapshot().isFinishing).toBe(true);

    for (const [name, data] of events) api.source.send(name, data);

    expect(session.snapshot().isFinishing).toBe(false);
  });

  test('takes no answer after a Done that failed, or when nothing was open', async () => {
    const failing = aSession();
    failing.api.tellFails = new Error('offline');
    const idle = aSession();
    idle.api.dueAt = null;
    for (const { session } of [failing, idle]) session.finishAnswer();
    await settled();

    expect(failing.session.snapshot()).toMatchObject({ isFinishing: false, hasDoneFailed: true });
    expect(idle.session.snapshot()).toMatchObject({ isFinishing: false, hasDoneFailed: false });
  });

  test.each(['another Done', 'another message'])(
    'forgets a Done that failed at %s',
    async (next) => {
      const { session, api } = aSession();
      api.tellFails = new Error('offline');
      session.finishAnswer();
      await settled();
      api.tellFails = null;

      if (next === 'another Done') session.finishAnswer();
      else session.write('more');
      await settled();

      expect(session.snapshot().hasDoneFailed).toBe(false);
    },
  );

  test('another message undoes a Done that still waits', async () => {
    const { session, api, timers } = aSession();
    api.sendFails = true;
    session.write('one');
    session.finishAnswer();
    await settled();
    session.write('two');
    api.sendFails = false;
    timers.fire(1_000);
    await settled();

    expect(session.snapshot().isFinishing).toBe(false);
    expect(api.calls).toEqual(['send one', 'send one', 'send two']);
  });

  test('counts down to the time at which the answer is taken, by its own clock', () => {
    const { session, api, clock } = aSession();
    api.source.connect();
    expect([session.snapshot().due, session.quietMs()]).toEqual([null, 0]);

    api.source.send(...state({ hasBuffer: true, dueInMs: 4000 }));
    clock.nowMs += 1500;

    expect(session.quietMs()).toBe(2500);
    api.source.send(...state({ hasBuffer: false, dueInMs: null }));
    expect([session.snapshot().due, session.quietMs()]).toEqual([null, 0]);
  });

  test('shows an own message at once, and once', async () => {
    const { session, api, shown } = aSession();
    session.write('mine');
    expect(session.snapshot().outbox).toHaveLength(1);
    await settled();
    api.source.send('message', aMessage(9, { role: 'user', clientId: 'id1', text: 'mine' }));

    expect(session.snapshot().outbox).toEqual([]);
    expect(shown()).toEqual(['mine']);
  });

  test('sends no NUL and no lone surrogate, which the server would refuse', async () => {
    const { session, api } = aSession();
    session.write('a\0b\ud800c 😀');
    await settled();
    expect(api.calls).toEqual(['send ab\ufffdc 😀']);
  });

  test('stops for good when the server no longer knows the session, and keeps what is unsent', async () => {
    const { session, api, storage } = aSession();
    api.readFails = new ApiProblem(401, 'session_unknown');
    session.wentOffline();
    await settled();

    session.write('unsent');
    session.cameOnline();
    await settled();

    expect(session.snapshot().isSessionLost).toBe(true);
    expect(api.calls).toEqual(['read']);
    expect(api.streams).toBe(1);
    expect(storage.keys()).toHaveLength(1);
  });

  test('does not show the messages of another interview that took over the cookie', async () => {
    const { session, api, shown } = aSession();
    api.source.send('hello', hello(5, { conversationId: 'another' }));
    api.source.send('message', aMessage(5));
    await settled();
    expect(session.snapshot().isSessionLost).toBe(true);
    expect(shown()).toEqual([]);
  });

  test('closes its stream for good when it is told that the session has ended', async () => {
    const { session, api, shown } = aSession();
    api.source.connect();
    api.source.send('ended', { reason: 'session_ended' });
    api.source.send('message', aMessage(6));
    await settled();
    session.cameOnline();

    expect(session.snapshot().isSessionLost).toBe(true);
    expect(shown()).toEqual([]);
    expect(api.streams).toBe(1);
  });

  test('checks a silent stream while something is expected, and replaces a dead one', async () => {
    const { api, timers, clock, shown } = aSession(aView({ hasBuffer: true }));
    api.source.connect();
    api.view = aView({ messages: [aMessage(1, { text: 'the reply' })] });
    clock.nowMs += 21_000;
    timers.fire(20_000);
    await settled();
    expect(shown()).toEqual(['the reply']);
    expect(api.streams).toBe(2);
  });

  test('checks a silent stream once a minute while a person may write', async () => {
    const { api, timers, clock, shown } = aSession(aView({ owner: 'person' }));
    api.source.connect();
    api.source.send('hello', hello(0));
    const reads = () => api.calls.filter((call) => call === 'read').length;
    const stallCheck = async () => {
      clock.nowMs += 20_000;
      timers.fire(20_000);
      await settled();
    };
    const before = reads();
    for (let checks = 0; checks < 5; checks += 1) await stallCheck();
    expect(reads()).toBe(before + 1);

    api.view = aView({ owner: 'person', messages: [aMessage(1, { text: 'Hello from Nora' })] });
    await stallCheck();

    expect(shown()).toEqual(['Hello from Nora']);
    expect(api.streams).toBe(2);
  });

  test('leaves a silent stream alone while nothing is expected', async () => {
    const { api, timers, clock } = aSession();
    api.source.connect();
    clock.nowMs += 21_000;
    timers.fire(20_000);
    await settled();
    expect(api.calls).toEqual([]);
  });

  test.each([
    [
      'after half a minute',
      ({ timers }: Opened) => {
        timers.fire(30_000);
      },
    ],
    [
      'when another tab opens one',
      ({ platform }: Opened) => {
        platform.tabs.anotherOpens();
      },
    ],
  ])('hidden, gives its stream up %s, and opens one when it is shown', (_, happens) => {
    const opened = aSession();
    const { session, api, timers, platform } = opened;
    api.source.connect();
    session.visibilityChanged(false);
    expect(api.source.readyState).toBe(1);

    happens(opened);

    expect(api.source.readyState).toBe(api.source.CLOSED);
    expect(timers.live().map(({ ms }) => ms)).not.toContain(30_000);
    session.cameOnline();
    expect([api.streams, platform.tabs.said]).toEqual([1, 1]);
    session.visibilityChanged(true);
    expect([api.streams, platform.tabs.said]).toEqual([2, 2]);
  });

  test('shown, keeps its stream when another tab opens one, also soon after it was hidden', () => {
    const { session, api, timers, platform } = aSession();
    api.source.connect();
    platform.tabs.anotherOpens();
    session.visibilityChanged(false);
    session.visibilityChanged(true);
    platform.tabs.anotherOpens();

    expect([api.streams, api.source.readyState]).toEqual([1, 1]);
    expect(timers.live().map(({ ms }) => ms)).not.toContain(30_000);
  });

  test('opened in the background, opens no stream before it is shown', () => {
    const { session, api } = aSession(aView(), false);
    expect(api.streams).toBe(0);
    session.visibilityChanged(true);
    expect(api.streams).toBe(1);
  });

  test('shows the end of a reply that came while it was hidden, and what followed', async () => {
    const { session, api, platform, shown } = aSession(aView({ replying: true }));
    api.source.send('start', { messageId: 'm1' });
    api.source.send('delta', { messageId: 'm1', offset: 0, text: 'Half' });
    session.visibilityChanged(false);
    platform.tabs.anotherOpens();

    const [reply, notice] = [aMessage(1, { text: 'Half and half.' }), aMessage(2, { text: 'Hi.' })];
    api.view = aView({ status: 'completed', messages: [reply, notice] });
    session.visibilityChanged(true);
    api.source.send('hello', hello(2, { status: 'completed' }));
    await settled();

    expect(shown()).toEqual(['Half and half.', 'Hi.']);
    expect(session.snapshot().conversation.reply).toBeNull();
    expect(session.snapshot().conversation.view.status).toBe('completed');
  });

  test('reads a reply that is due while it has no stream', async () => {
    const { session, api, platform, timers, clock, shown } = aSession(aView({ replying: true }));
    api.source.connect();
    session.visibilityChanged(false);
    platform.tabs.anotherOpens();
    api.view = aView({ messages: [aMessage(1, { text: 'Here.' })] });
    clock.nowMs += 21_000;
    timers.fire(20_000);
    await settled();

    expect(shown()).toEqual(['Here.']);
    expect(api.streams).toBe(1);
  });

  test('opens a fresh stream after the device has slept', () => {
    const { session, api, clock } = aSession();
    session.visibilityChanged(false);
    clock.nowMs += 31_000;
    session.visibilityChanged(true);
    expect(api.streams).toBe(2);
  });
});
