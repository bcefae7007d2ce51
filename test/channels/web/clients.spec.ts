import { type ErrorEvent, EventSource, type FetchLike } from 'eventsource';
import { CuttingProxy } from '../../../tools/fake-network/cutting-proxy';
import { AFTER, BEFORE, STREAMS, heldReply, storedReply, withManyReaders } from './mid-reply';
import { closeReaders } from './event-source';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

withManyReaders();

/** Reads `/events` with the `eventsource` package, and repairs nothing that it misses. */
class Listener {
  text = '';
  finishes = 0;
  /** The event ids with which it reconnected. */
  readonly lastIds: string[] = [];
  private readonly source: EventSource;
  private readonly waiters = new Set<() => void>();

  constructor(url: string, session: Record<string, string>) {
    const fetchWithSession: FetchLike = (input, init) => {
      const lastId = init.headers['Last-Event-ID'];
      if (lastId !== undefined) this.lastIds.push(lastId);
      this.wake();
      return fetch(input, { ...init, headers: { ...init.headers, ...session } });
    };
    this.source = new EventSource(url, { fetch: fetchWithSession });
    this.on('start', () => (this.text = ''));
    // Appended and not placed by its offset, so that a gap or a repetition shows.
    this.on('delta', (data) => (this.text += data.text ?? ''));
    this.on('finish', () => (this.finishes += 1));
  }

  /** Resolves with the error after which it stopped. */
  get refused(): Promise<ErrorEvent> {
    return new Promise((resolve) => {
      this.source.addEventListener('error', resolve);
    });
  }

  get isClosed(): boolean {
    return this.source.readyState === EventSource.CLOSED;
  }

  async until(isSo: (listener: this) => boolean): Promise<void> {
    while (!isSo(this)) {
      await new Promise<void>((resolve) => this.waiters.add(resolve));
    }
  }

  close(): void {
    this.source.close();
  }

  private on(name: string, take: (data: { readonly text?: string }) => void): void {
    this.source.addEventListener(name, (event) => {
      take(JSON.parse(String(event.data)) as { text?: string });
      this.wake();
    });
  }

  private wake(): void {
    for (const wake of this.waiters) wake();
    this.waiters.clear();
  }
}

describe('the eventsource package, unmodified', () => {
  let app: TestApp;
  let proxy: CuttingProxy;
  let listener: Listener | undefined;

  beforeAll(async () => {
    app = await startTestApp(STREAMS);
    proxy = await CuttingProxy.start(app.url);
  });

  afterEach(() => {
    listener?.close();
    listener = undefined;
    closeReaders();
    app.model.release();
  });

  afterAll(async () => {
    await proxy.close();
    await app.close();
  });

  /** Inside a reply that is held after its first half. */
  async function listenInMidReply(
    sessionOf: (token: string) => Record<string, string>,
  ): Promise<{ candidate: TestCandidate; listener: Listener }> {
    const candidate = await TestCandidate.begin(app);
    const opened = listen(sessionOf(candidate.token));
    app.model.next(heldReply(BEFORE, AFTER));
    await candidate.send('m1', 'Rye.');
    await opened.until(({ text }) => text === BEFORE);
    return { candidate, listener: opened };
  }

  function listen(session: Record<string, string>): Listener {
    listener = new Listener(new URL('/api/v1/conversation/events', proxy.url).href, session);
    return listener;
  }

  async function cut(): Promise<void> {
    await proxy.goDown();
    await proxy.comeUp();
  }

  test.each([
    ['an authorization header', (token: string) => ({ authorization: `Bearer ${token}` })],
    ['the cookie', (token: string) => ({ cookie: `colloquy_session=${token}` })],
  ])('comes back by itself after a cut in mid-reply, with %s', async (_, sessionOf) => {
    const { candidate, listener: cutOff } = await listenInMidReply(sessionOf);

    await cut();
    await cutOff.until(({ lastIds }) => lastIds.length === 1);
    app.model.release();
    await cutOff.until(({ finishes }) => finishes === 1);

    const stored = await storedReply(candidate);
    expect(Buffer.from(cutOff.text)).toEqual(Buffer.from(stored.text));
    expect(stored.text.startsWith(BEFORE + AFTER)).toBe(true);
  });

  test('gets the rest of a reply that ended while it was disconnected', async () => {
    const { candidate, listener: away } = await listenInMidReply((token) => ({
      authorization: `Bearer ${token}`,
    }));

    await proxy.goDown();
    app.model.release();
    const stored = await storedReply(candidate);
    await proxy.comeUp();
    await away.until(({ finishes }) => finishes === 1);

    expect(Buffer.from(away.text)).toEqual(Buffer.from(stored.text));
    expect(away.lastIds.at(-1)).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
  });

  test('is refused without a session and does not reconnect', async () => {
    const stranger = listen({});

    expect((await stranger.refused).code).toBe(401);
    expect(stranger.isClosed).toBe(true);
  });
});
