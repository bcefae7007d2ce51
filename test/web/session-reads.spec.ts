/** When the page reads the conversation once more, because something may be missing. */
import { ApiProblem, ApiUnreachable } from '../../web/src/api/client';
import { aMessage, aView, settled } from './fake-browser';
import { aSession, hello } from './test-session';

const REPLY = aView({ messages: [aMessage(1, { text: 'the reply' })] });

const reads = (calls: string[]) => calls.filter((call) => call === 'read').length;

/** A promise that the test resolves. */
function held() {
  let release: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  const end = () => {
    release();
  };
  return { promise, end };
}

test('repeats a failed read at each stall check until it succeeds, also on a lively stream', async () => {
  const { api, timers, shown } = aSession();
  const stallCheck = async () => {
    timers.fire(20_000);
    await settled();
  };
  api.source.connect();
  api.view = REPLY;
  api.readFails = new ApiUnreachable('timed out');
  api.source.send('hello', hello(1));
  await settled();
  expect(reads(api.calls)).toBe(1);

  await stallCheck();
  expect(reads(api.calls)).toBe(2);
  api.readFails = null;
  await stallCheck();
  expect(shown()).toEqual(['the reply']);
  await stallCheck();

  expect(reads(api.calls)).toBe(3);
  expect(api.streams).toBe(1);
});

test('reads again after a read during which something was found missing', async () => {
  const { session, api, shown } = aSession();
  const first = held();
  api.readHeld = first.promise;
  session.wentOffline();
  session.cameOnline();
  api.view = REPLY;
  api.source.send('hello', hello(1));
  api.source.send('hello', hello(1));
  first.end();
  await settled();

  expect(shown()).toEqual(['the reply']);
  expect(reads(api.calls)).toBe(2);
});

test('reads again after a failed read during which something was found missing, and then waits', async () => {
  const { session, api } = aSession();
  const first = held();
  api.readHeld = first.promise;
  api.readFails = new ApiUnreachable('timed out');
  session.wentOffline();
  session.cameOnline();
  api.source.send('hello', hello(1));
  first.end();
  await settled();

  expect(reads(api.calls)).toBe(2);
});

test('does not repeat a refused read at once', async () => {
  const { api } = aSession();
  api.readFails = new ApiProblem(409, 'conversation_closed');
  api.source.send('hello', hello(1));
  await settled();

  expect(reads(api.calls)).toBe(1);
});

test('a correction that is saved during a read is shown when it is done', async () => {
  const { session, api, shown } = aSession();
  const first = held();
  api.readHeld = first.promise;
  session.wentOffline();
  api.view = aView({ messages: [aMessage(1, { text: 'corrected' })] });
  const correcting = session.requests.correct('m1', 'corrected');
  await settled();
  first.end();
  await correcting;

  expect(shown()).toEqual(['corrected']);
});
