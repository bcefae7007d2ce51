/** A voice message from the microphone to the server, without a microphone or a server. */
import { ApiProblem, ApiUnreachable } from '../../web/src/api/client';
import { MicrophoneError, type Recording } from '../../web/src/microphone';
import { Recorder, type RecorderState, type VoiceUpload } from '../../web/src/state/recorder';
import { Timers, aRecording, settled } from './fake-browser';

function aRecorder(options: {
  recording?: () => Promise<Recording>;
  send?: () => Promise<unknown>;
}) {
  const timers = new Timers();
  const clock = { nowMs: 50_000 };
  const log: string[] = [];
  const sent: VoiceUpload[] = [];
  const states: RecorderState[] = [];
  let unplug: () => void = () => undefined;
  const recording = aRecording({
    stop: () => {
      log.push('stop');
      return Promise.resolve(new Blob(['sound']));
    },
    cancel: () => log.push('cancel'),
    ended: new Promise((resolve) => (unplug = resolve)),
  });
  let ids = 0;
  const recorder = new Recorder({
    nowMs: () => clock.nowMs,
    wait: timers.wait,
    newMessageId: () => `id${String((ids += 1))}`,
    microphone: options.recording ?? (() => Promise.resolve(recording)),
    send: (voice) => {
      sent.push(voice);
      return options.send?.() ?? Promise.resolve(null);
    },
    onRecording: () => log.push('speaking'),
    onSent: () => log.push('sent'),
    onProblem: ({ code }) => log.push(`problem ${code}`),
    onChange: (state) => states.push(state),
  });
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.nowMs += 1_000;
      timers.fire();
    }
  };
  const unplugged = () => {
    unplug();
    return settled();
  };
  return { recorder, pass, log, sent, recording, timers, unplugged, now: () => states.at(-1) };
}

test('counts the seconds, reports every other second that somebody speaks, and sends once', async () => {
  const { recorder, pass, log, sent, timers, now } = aRecorder({});
  await recorder.start();
  pass(3);
  expect(now()).toEqual({ kind: 'recording', elapsedS: 3, stopped: null });
  expect(log).toEqual(['speaking', 'speaking']);

  await recorder.send();

  expect(now()).toEqual({ kind: 'idle' });
  expect(sent).toMatchObject([{ id: 'id1', durationS: 3 }]);
  expect(log.slice(2)).toEqual(['stop', 'speaking', 'sent']);
  expect(timers.live()).toHaveLength(0);
});

test('drops a cancelled recording, also while it asks for the microphone', async () => {
  const { recorder, pass, log, sent, now } = aRecorder({});
  await recorder.start();
  pass(1);
  recorder.cancel();
  await recorder.send();
  const asking = recorder.start();
  expect(now()).toEqual({ kind: 'asking' });
  recorder.cancel();
  await asking;

  expect(now()).toEqual({ kind: 'idle' });
  expect(log.filter((entry) => entry === 'cancel')).toHaveLength(2);
  expect(sent).toEqual([]);
});

test('stops by itself after ten minutes, and the recording can still be sent', async () => {
  const { recorder, pass, log, sent, now } = aRecorder({});
  await recorder.start();
  pass(700);
  expect(now()).toEqual({ kind: 'recording', elapsedS: 600, stopped: 'full' });
  expect(log.filter((entry) => entry === 'stop')).toHaveLength(1);
  await recorder.send();
  expect(sent).toMatchObject([{ durationS: 600 }]);
});

test('stops when the microphone is gone, and what was recorded until then can be sent', async () => {
  const { recorder, pass, log, sent, timers, unplugged, now } = aRecorder({});
  await recorder.start();
  pass(3);

  await unplugged();

  expect(now()).toEqual({ kind: 'recording', elapsedS: 3, stopped: 'disconnected' });
  expect(timers.live()).toHaveLength(0);
  expect(log.at(-1)).toBe('stop');
  await recorder.send();
  expect(sent).toMatchObject([{ durationS: 3 }]);
});

test('a microphone that goes after the recording was dropped or full changes nothing', async () => {
  const dropped = aRecorder({});
  await dropped.recorder.start();
  dropped.recorder.cancel();
  const full = aRecorder({});
  await full.recorder.start();
  full.pass(600);

  await Promise.all([dropped.unplugged(), full.unplugged()]);

  expect(dropped.now()).toEqual({ kind: 'idle' });
  expect(full.now()).toMatchObject({ stopped: 'full' });
});

test.each(['denied', 'no_device', 'broken'] as const)(
  'a microphone that is %s is said, and can be tried again',
  async (problem) => {
    let isBroken = true;
    const { recorder, now, recording } = aRecorder({
      recording: () =>
        isBroken ? Promise.reject(new MicrophoneError(problem)) : Promise.resolve(recording),
    });
    await recorder.start();
    expect(now()).toEqual({ kind: 'problem', problem });
    isBroken = false;
    await recorder.start();
    expect(now()).toMatchObject({ kind: 'recording' });
  },
);

test('keeps a recording that could not be sent, and sends it under the same id', async () => {
  const answers = [Promise.reject(new Error('offline')), Promise.resolve(null)];
  answers[0]?.catch(() => undefined);
  const { recorder, sent, now } = aRecorder({ send: () => answers.shift() ?? Promise.resolve() });
  await recorder.start();
  await recorder.send();
  expect(now()).toEqual({ kind: 'unsent' });
  await recorder.start();
  expect(now()).toEqual({ kind: 'unsent' });
  await recorder.send();
  expect(sent.map(({ id }) => id)).toEqual(['id1', 'id1']);
  expect(now()).toEqual({ kind: 'idle' });
});

test.each([
  ['no response', new ApiUnreachable('offline')],
  ['a 503', new ApiProblem(503, 'unavailable')],
  ['a 401', new ApiProblem(401, '')],
  ['a 408', new ApiProblem(408, 'request_timeout')],
  ['a 429', new ApiProblem(429, 'too_many_uploads')],
])('keeps a recording after %s', async (_, error) => {
  const { recorder, now } = aRecorder({ send: () => Promise.reject(error) });
  await recorder.start();
  await recorder.send();
  expect(now()).toEqual({ kind: 'unsent' });
});

test('reports every other second that the answer goes on, until the recording has arrived', async () => {
  const uploads: { arrive: () => void; fail: (error: Error) => void }[] = [];
  const { recorder, log, timers } = aRecorder({
    send: () =>
      new Promise<void>((arrive, fail) => {
        uploads.push({ arrive, fail });
      }),
  });
  const reports = () => log.filter((entry) => entry === 'speaking').length;
  await recorder.start();
  const first = recorder.send();
  await settled();
  const before = reports();
  timers.fire(2_000);
  timers.fire(2_000);
  expect(reports()).toBe(before + 2);
  uploads[0]?.fail(new Error('offline'));
  await first;
  expect(timers.live()).toHaveLength(0);

  const again = recorder.send();
  await settled();
  expect(reports()).toBe(before + 3);
  timers.fire(2_000);
  expect(reports()).toBe(before + 4);
  uploads[1]?.arrive();
  await again;
  expect(timers.live()).toHaveLength(0);
});

test('Done waits while a voice is recorded and sent', async () => {
  const { recorder, log } = aRecorder({});
  const done = () => log.push('done');
  recorder.afterDelivery(done);
  expect(log).toEqual(['done']);

  await recorder.start();
  recorder.afterDelivery(done);
  expect(log).toEqual(['done', 'speaking']);
  await recorder.send();

  expect(log.slice(-2)).toEqual(['done', 'sent']);
});

test('Done waits no longer for a recording that is dropped or cannot be sent', async () => {
  const { recorder, now } = aRecorder({ send: () => Promise.reject(new Error('offline')) });
  const done = jest.fn();
  await recorder.start();
  recorder.afterDelivery(done);
  recorder.cancel();
  expect(done).toHaveBeenCalledTimes(1);

  await recorder.start();
  recorder.afterDelivery(done);
  await recorder.send();
  expect(now()).toEqual({ kind: 'unsent' });
  expect(done).toHaveBeenCalledTimes(2);
});

test('when the page is left, nothing is kept, reported or done, also during an upload', async () => {
  let fail: (error: Error) => void = () => undefined;
  const { recorder, log, timers, now } = aRecorder({
    send: () => new Promise((_, reject) => (fail = reject)),
  });
  const done = jest.fn();
  await recorder.start();
  const sending = recorder.send();
  recorder.afterDelivery(done);
  await settled();

  recorder.clear();
  const before = log.length;
  fail(new ApiProblem(401, 'session_unknown'));
  await sending;

  expect(now()).toEqual({ kind: 'idle' });
  expect(timers.live()).toHaveLength(0);
  expect(done).not.toHaveBeenCalled();
  expect(log).toHaveLength(before);
});

test.each([
  [413, 'too_large'],
  [409, 'refused'],
])('a %i of the server is final: %s', async (status, problem) => {
  const { recorder, now, log } = aRecorder({
    send: () => Promise.reject(new ApiProblem(status, 'x')),
  });
  await recorder.start();
  await recorder.send();
  await settled();
  expect(now()).toEqual({ kind: 'problem', problem });
  expect(log).toContain('problem x');
  recorder.cancel();
  expect(now()).toEqual({ kind: 'idle' });
});

test('an empty recording is not sent', async () => {
  const empty = aRecording({ stop: () => Promise.resolve(new Blob()) });
  const { recorder, sent, now } = aRecorder({ recording: () => Promise.resolve(empty) });
  await recorder.start();
  await recorder.send();
  expect(sent).toEqual([]);
  expect(now()).toEqual({ kind: 'problem', problem: 'empty' });
});

test('an unsent recording is sent again, and a running one goes on', async () => {
  const results = [Promise.reject(new Error('offline')), Promise.resolve(null)];
  results[0]?.catch(() => undefined);
  const { recorder, sent, now } = aRecorder({ send: () => results.shift() ?? Promise.resolve() });
  await recorder.start();
  await recorder.retry();
  expect(now()).toMatchObject({ kind: 'recording' });
  await recorder.send();
  expect(now()).toEqual({ kind: 'unsent' });

  await recorder.retry();

  expect(now()).toEqual({ kind: 'idle' });
  expect(sent.map(({ id }) => id)).toEqual(['id1', 'id1']);
});

test('a stopped recording is kept without being sent, and another page sends it', async () => {
  const { recorder, pass, sent, timers } = aRecorder({});
  const next = aRecorder({});
  await recorder.start();
  pass(2);

  await recorder.stop();
  const kept = recorder.kept();
  if (kept !== null) next.recorder.restore(kept);
  await next.recorder.retry();

  expect(sent).toEqual([]);
  expect(timers.live()).toHaveLength(0);
  expect(next.sent).toMatchObject([{ id: 'id1', durationS: 2 }]);
  expect(next.now()).toEqual({ kind: 'idle' });
});
