/**
 * Watches one interview: reads its newest lines, then follows its events, among them a reply as it is written.
 *
 *   loading ──lines──> live ──erased──> erased
 *      └──refused──> failed ──again──> loading
 *
 * When the session ends, the next read asks for a sign-in (the gate), and the events are followed again after it.
 */
import { CONVERSATION_EVENTS, EventStream } from '../../src/api/event-stream';
import type { StreamEvent } from '../../src/api/wire';
import { hasSaidTyping, openEvents, readLines } from './calls';
import { heard, liveLinesOf, readAgain, withOlder } from './live-lines';
import type { LiveLines } from './live-lines';

export type WatchState =
  | { kind: 'loading' | 'erased' }
  | { kind: 'failed'; error: unknown }
  | {
      kind: 'live';
      live: LiveLines;
      isLost: boolean;
      /** Who types now. */
      typing: 'candidate' | 'team' | null;
      older: 'idle' | 'loading' | 'failed';
    };

type Live = Extract<WatchState, { kind: 'live' }>;

/** Longer than the time between two signs of somebody who types. */
const TYPING_MS = 5_000;

export class InterviewWatch {
  private state: WatchState = { kind: 'loading' };
  private readonly listeners = new Set<() => void>();
  private readonly stream: EventStream<StreamEvent>;
  private isReading = false;
  /** The events are followed again once the lines can be read. */
  private mustFollow = false;
  /** Who replies and how the interview stands, as was heard last. */
  private standing: string | null = null;
  private isClosed = false;
  private typingTimer: number | undefined;

  constructor(
    private readonly conversationId: string,
    /** Who replies, or the state, has changed. */
    private readonly onChange: () => void,
  ) {
    this.stream = new EventStream<StreamEvent>({
      ...CONVERSATION_EVENTS,
      openEvents: () => openEvents(conversationId),
      wait: (ms, then) => {
        const timer = window.setTimeout(then, ms);
        return () => window.clearTimeout(timer);
      },
      onEvent: (event) => this.hear(event),
      onConnection: (connection) => {
        this.change({ isLost: connection === 'lost' });
        // Only a read can distinguish an ended session from a dead network.
        if (connection === 'lost') void this.readAgain();
      },
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): WatchState => this.state;

  async load(): Promise<void> {
    this.become({ kind: 'loading' });
    try {
      const live = liveLinesOf(await readLines(this.conversationId, null));
      if (this.isClosed) return;
      this.become({ kind: 'live', live, isLost: false, typing: null, older: 'idle' });
      this.stream.reopen();
    } catch (error) {
      if (!this.isClosed) this.become({ kind: 'failed', error });
    }
  }

  async showOlder(): Promise<void> {
    const { state } = this;
    if (state.kind !== 'live' || state.older === 'loading') return;
    const { olderCursor } = state.live;
    if (olderCursor === null) return;
    this.change({ older: 'loading' });
    try {
      const transcript = await readLines(this.conversationId, olderCursor);
      this.changeLive((live) => withOlder(live, transcript));
      this.change({ older: 'idle' });
    } catch {
      this.change({ older: 'failed' });
    }
  }

  close(): void {
    this.isClosed = true;
    window.clearTimeout(this.typingTimer);
    this.stream.close();
  }

  private hear(event: StreamEvent): void {
    if (event.type === 'ended') {
      this.stream.close();
      if (event.reason === 'erased') {
        this.become({ kind: 'erased' });
        return;
      }
      this.mustFollow = true;
      void this.readAgain();
      return;
    }
    if (event.type === 'typing') {
      this.hearTyping(event.from);
      return;
    }
    this.changeLive((live) => heard(live, event));
    if (event.type === 'state' || event.type === 'hello') this.noteStanding(event);
    // Whoever has sent it does not type any more.
    if (event.type === 'message') this.change({ typing: null });
    if (this.state.kind === 'live' && this.state.live.isBehind) void this.readAgain();
  }

  private noteStanding({ status, owner }: { status: string; owner: string }): void {
    const { standing } = this;
    this.standing = `${status} ${owner}`;
    if (standing !== null && standing !== this.standing) this.onChange();
  }

  private hearTyping(from: 'candidate' | 'team'): void {
    if (from === 'team' && hasSaidTyping(TYPING_MS)) return;
    window.clearTimeout(this.typingTimer);
    this.change({ typing: from });
    this.typingTimer = window.setTimeout(() => this.change({ typing: null }), TYPING_MS);
  }

  private async readAgain(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      const transcript = await readLines(this.conversationId, null);
      this.changeLive((live) => readAgain(live, transcript));
      if (this.mustFollow && !this.isClosed) {
        this.mustFollow = false;
        this.stream.reopen();
      }
    } catch (error) {
      // Not a failure to reach the server, which the stream reports by itself.
      if (isGone(error) && !this.isClosed) {
        this.stream.close();
        this.become({ kind: 'erased' });
      }
    } finally {
      this.isReading = false;
    }
  }

  private changeLive(change: (live: LiveLines) => LiveLines): void {
    if (this.state.kind === 'live') this.change({ live: change(this.state.live) });
  }

  private change(change: Partial<Omit<Live, 'kind'>>): void {
    if (this.state.kind === 'live' && !this.isClosed) this.become({ ...this.state, ...change });
  }

  private become(state: WatchState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

function isGone(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 404;
}
