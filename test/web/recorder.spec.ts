/** A voice message from the microphone to the server, without a microphone or a server. */
import { ApiProblem } from '../../web/src/api/client';
import { MicrophoneError, type Recording } from '../../web/src/microphone';
import { Recorder, type RecorderState, type VoiceUpload } from '../../web/src/state/recorder';
import { Timers, settled } from './fake-browser';

function aRecorder(options: {
  recording?: () => Promise<Recording>;
  send?: () => Promise<unknown>;
}) {
  const timers = new Timers();
  const clock = { nowMs: 50_000 };
  const log: string[] = [];
  const sent: VoiceUpload[] = [];
  const states: RecorderState[] = [];
  const recording: Recording = {
    stop: () => {
      log.push('stop');
      return Promise.resolve(new Blob(['sound']));
    },
    cancel: () => log.push('cancel'),
  };
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
  return { recorder, pass, log, sent, recording, timers, now: () => states.at(-1) };
}

test('counts the seconds, reports every other second that somebody speaks, and sends once', async () => {
  const { recorder, pass, log, sent, timers, now } = aRecorder({});
  await recorder.start();
  pass(3);
  expect(now()).toEqual({ kind: 'recording', elapsedS: 3, isFull: false });
  expect(log).toEqual(['speaking', 'speaking']);

  await recorder.send();

  expect(now()).toEqual({ kind: 'idle' });
  expect(sent).toMatchObject([{ id: 'id1', durationS: 3 }]);
  expect(log.slice(2)).toEqual(['stop', 'sent']);
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
  expect(now()).toEqual({ kind: 'recording', elapsedS: 600, isFull: true });
  expect(log.filter((entry) => entry === 'stop')).toHaveLength(1);
  await recorder.send();
  expect(sent).toMatchObject([{ durationS: 600 }]);
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
  const empty: Recording = { stop: () => Promise.resolve(new Blob()), cancel: () => undefined };
  const { recorder, sent, now } = aRecorder({ recording: () => Promise.resolve(empty) });
  await recorder.start();
  await recorder.send();
  expect(sent).toEqual([]);
  expect(now()).toEqual({ kind: 'problem', problem: 'empty' });
});
