/** A transcript that is longer than a page: the newest messages first, older ones on demand. */
import { ApiUnreachable } from '../../web/src/api/client';
import { aMessage, aView, settled } from './fake-browser';
import { aSession, hello } from './test-session';

function messagesFrom(first: number, last: number) {
  return Array.from({ length: last - first + 1 }, (_, n) => aMessage(first + n));
}

const newest = () => aView({ messages: messagesFrom(7, 9), olderCursor: 7 });
const texts = (first: number, last: number) => messagesFrom(first, last).map(({ text }) => text);

describe('older messages', () => {
  test('are put before the others, page by page, until there are none', async () => {
    const { session, api, shown } = aSession(newest());
    const older = () => session.snapshot().conversation.older;
    expect(older()).toEqual({ cursor: 7, state: 'idle' });

    api.olderPage = { messages: messagesFrom(4, 6), olderCursor: 4 };
    await session.requests.showOlder();
    expect(shown()).toEqual(texts(4, 9));
    expect(older()).toEqual({ cursor: 4, state: 'idle' });
    api.olderPage = { messages: messagesFrom(1, 3), olderCursor: null };
    await session.requests.showOlder();

    expect(shown()).toEqual(texts(1, 9));
    expect(older()).toEqual({ cursor: null, state: 'idle' });
    await session.requests.showOlder();
    expect(api.calls).toEqual(['older than 7', 'older than 4']);
  });

  test('are requested once, however often the button is pressed', async () => {
    const { session, api } = aSession(newest());

    const first = session.requests.showOlder();
    expect(session.snapshot().conversation.older.state).toBe('loading');
    await session.requests.showOlder();
    await first;

    expect(api.calls).toEqual(['older than 7']);
  });

  test('can be requested again after a failure', async () => {
    const { session, api, shown } = aSession(newest());
    api.olderPage = new ApiUnreachable(new Error('offline'));

    await session.requests.showOlder();
    expect(session.snapshot().conversation.older).toEqual({ cursor: 7, state: 'failed' });
    expect(shown()).toEqual(texts(7, 9));
    api.olderPage = { messages: messagesFrom(1, 6), olderCursor: null };
    await session.requests.showOlder();

    expect(shown()).toEqual(texts(1, 9));
  });

  test('are not announced to a screen reader', async () => {
    const { session, api } = aSession(newest());
    api.olderPage = { messages: messagesFrom(1, 6), olderCursor: null };

    await session.requests.showOlder();
    api.source.send('message', aMessage(10));

    expect(session.snapshot().announcer.recent.map(({ text }) => text)).toEqual(texts(10, 10));
  });

  test('stay on the page when the newest are read again', async () => {
    const { session, api, shown } = aSession(newest());
    api.olderPage = { messages: messagesFrom(4, 6), olderCursor: 4 };
    await session.requests.showOlder();

    api.view = aView({ messages: messagesFrom(8, 10), olderCursor: 8 });
    api.source.send('hello', hello(10));
    await settled();

    expect(shown()).toEqual(texts(4, 10));
    expect(session.snapshot().conversation.older.cursor).toBe(4);
  });

  test('begin at the newest page again when more than a page was missed', async () => {
    const { session, api, shown } = aSession(newest());

    api.view = aView({ messages: messagesFrom(50, 52), olderCursor: 50 });
    api.source.send('hello', hello(52));
    await settled();

    expect(shown()).toEqual(texts(50, 52));
    api.olderPage = { messages: messagesFrom(47, 49), olderCursor: 47 };
    await session.requests.showOlder();
    expect(api.calls).toContain('older than 50');
    expect(shown()).toEqual(texts(47, 52));
  });

  test('that were requested before such a gap are not put behind it', async () => {
    const { session, api, shown } = aSession(newest());
    api.olderPage = { messages: messagesFrom(1, 6), olderCursor: null };
    api.view = aView({ messages: messagesFrom(50, 52), olderCursor: 50 });

    api.source.send('hello', hello(52));
    const late = session.requests.showOlder();
    await settled();
    await late;

    expect(shown()).toEqual(texts(50, 52));
    expect(session.snapshot().conversation.older).toEqual({ cursor: 50, state: 'idle' });
  });
});
