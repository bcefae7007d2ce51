/** Watching an interview through ended sessions, refusals and hidden tabs. */
import { ApiProblem } from '../../../web/console/api/problem';
import type { Transcript } from '../../../web/console/inbox/calls';
import { InterviewWatch } from '../../../web/console/inbox/interview-watch';
import { TabStreams } from '../../../web/console/live/tab-streams';
import { FakeEventSource, Timers, settled } from '../fake-browser';

const LINES = { lines: [], olderCursor: null } as unknown as Transcript;
const REFUSED = new ApiProblem(401, 'sign_in_needed');
const UNREACHABLE = new ApiProblem(0, 'unreachable');
const [GRACE_MS, AGAIN_MS, LONG_MS] = [1_500, 1_000, 30_000];

function aWatch() {
  const sources: FakeEventSource[] = [];
  const timers = new Timers();
  const tab = { isShown: true, nowMs: 0 };
  const streams = new TabStreams({
    nowMs: () => tab.nowMs,
    wait: timers.wait,
    tabs: { isShown: () => tab.isShown, sayOpened: () => undefined, onOpened: () => undefined },
  });
  const readLines = jest.fn<Promise<Transcript>, []>(() => Promise.resolve(LINES));
  const watch = new InterviewWatch({
    readLines,
    openEvents: () => {
      const source = new FakeEventSource();
      sources.push(source);
      return source.asEventSource();
    },
    follow: (stream) => streams.add(stream),
    wait: timers.wait,
    hasSaidTyping: () => false,
    onChange: () => undefined,
  });
  const show = (isShown: boolean): void => {
    tab.isShown = isShown;
    streams.visibilityChanged();
  };
  const open = () => sources.filter(({ readyState, CLOSED }) => readyState !== CLOSED).length;
  const latest = () => sources.at(-1) ?? new FakeEventSource();
  return { watch, readLines, sources, latest, timers, show, open };
}

test('after the end of a session the events are followed again as soon as the lines can be read', async () => {
  const { watch, readLines, latest, sources } = aWatch();
  await watch.load();
  let signIn: (lines: Transcript) => void = () => undefined;
  readLines.mockReturnValueOnce(new Promise((resolve) => (signIn = resolve)));

  latest().send('ended', { reason: 'session_ended' });
  await settled();
  expect(sources).toHaveLength(1);
  signIn(LINES);
  await settled();

  expect(sources).toHaveLength(2);
  expect(watch.snapshot().kind).toBe('live');
});

test('a network that is gone when the session ends does not end the watch', async () => {
  const { watch, readLines, latest, sources, timers } = aWatch();
  await watch.load();
  readLines.mockRejectedValueOnce(UNREACHABLE);

  latest().send('ended', { reason: 'session_ended' });
  await settled();
  expect(sources).toHaveLength(1);
  timers.fire(AGAIN_MS);
  await settled();

  expect(sources).toHaveLength(2);
});

test('where nobody signs in again nothing is tried for ever, and it can be begun anew', async () => {
  const { watch, readLines, latest, timers, open } = aWatch();
  await watch.load();
  readLines.mockRejectedValueOnce(REFUSED);

  latest().fail(true);
  timers.fire(GRACE_MS);
  await settled();

  expect(watch.snapshot()).toEqual({ kind: 'failed', error: REFUSED });
  expect(timers.live()).toEqual([]);
  expect(open()).toBe(0);
  await watch.load();
  expect([watch.snapshot().kind, open()]).toEqual(['live', 1]);
});

test('an erased candidate ends it', async () => {
  const { watch, latest, open } = aWatch();
  await watch.load();

  latest().send('ended', { reason: 'erased' });

  expect([watch.snapshot().kind, open()]).toEqual(['erased', 0]);
});

test('a tab that is hidden for long gives its stream up, and has a fresh one when it is shown', async () => {
  const { watch, timers, show, open, sources } = aWatch();
  await watch.load();

  show(false);
  expect(open()).toBe(1);
  timers.fire(LONG_MS);
  expect(open()).toBe(0);
  show(true);

  expect([open(), sources.length]).toEqual([1, 2]);
});

test('a watch that has ended opens nothing when its tab is shown again', async () => {
  const { watch, timers, show, open } = aWatch();
  await watch.load();
  show(false);
  timers.fire(LONG_MS);

  watch.close();
  show(true);

  expect(open()).toBe(0);
});
