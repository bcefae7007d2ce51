/**
 * Watches one interview: reads its newest lines, then follows its events, among them a reply as it is written.
 *
 *   loading ──lines──> live ──erased──> erased
 *      └──refused──> failed <──refused──┘
 *                      └──again──> loading
 *
 * When the session ends, or the stream is lost, the lines are read again: that asks for a sign-in (the gate) where it
 * is needed. The events are followed again after it. Where nobody signs in, nothing is tried any more.
 */
import { CONVERSATION_EVENTS, EventStream } from '../../src/api/event-stream';
import type { StreamEvent } from '../../src/api/wire';
import type { Wait } from '../../src/platform';
import { asProblem } from '../api/problem';
import type { Transcript } from './calls';
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

export interface WatchPorts {
  /** The newest lines, or those before `before`. */
  readLines: (before: number | null) => Promise<Transcript>;
  openEvents: () => EventSource;
  /** Opens the stream as soon as the tab is shown; the returned function ends it. */
  follow: (stream: { open: () => void; close: () => void }) => () => void;
  wait: Wait;
  /** Whether the person at this page types, or has typed within `ms`. */
  hasSaidTyping: (ms: number) => boolean;
  /** Who replies, or the state, has changed. */
  onChange: () => void;
}

/** Longer than the time between two signs of somebody who types. */
const TYPING_MS = 5_000;
const [AGAIN_FIRST_MS, AGAIN_MAX_MS] = [1_000, 15_000];

export class InterviewWatch {
  private state: WatchState = { kind: 'loading' };
  private readonly listeners = new Set<() => void>();
  private readonly stream: EventStream<StreamEvent>;
  private isReading = false;
  /** The server has ended the events; they are followed again once the lines can be read. */
  private mustFollow = false;
  private failures = 0;
  /** Who replies and how the interview stands, as was heard last. */
  private standing: string | null = null;
  private isClosed = false;
  private unfollow: () => void = () => undefined;
  private cancelTyping: () => void = () => undefined;
  private cancelAgain: () => void = () => undefined;

  constructor(private readonly ports: WatchPorts) {
    this.stream = new EventStream<StreamEvent>({
      ...CONVERSATION_EVENTS,
      openEvents: ports.openEvents,
      wait: ports.wait,
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
      const live = liveLinesOf(await this.ports.readLines(null));
      if (this.isClosed) return;
      this.become({ kind: 'live', live, isLost: false, typing: null, older: 'idle' });
      this.follow();
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
      const transcript = await this.ports.readLines(olderCursor);
      this.changeLive((live) => withOlder(live, transcript));
      this.change({ older: 'idle' });
    } catch {
      this.change({ older: 'failed' });
    }
  }

  close(): void {
    this.isClosed = true;
    this.end();
  }

  private follow(): void {
    this.mustFollow = false;
    this.unfollow();
    this.unfollow = this.ports.follow({
      open: () => this.stream.reopen(),
      close: () => this.stream.close(),
    });
  }

  private end(): void {
    this.mustFollow = false;
    this.cancelTyping();
    this.cancelAgain();
    this.unfollow();
    this.stream.close();
  }

  private hear(event: StreamEvent): void {
    if (event.type === 'ended') {
      this.unfollow();
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
    if (standing !== null && standing !== this.standing) this.ports.onChange();
  }

  private hearTyping(from: 'candidate' | 'team'): void {
    if (from === 'team' && this.ports.hasSaidTyping(TYPING_MS)) return;
    this.cancelTyping();
    this.change({ typing: from });
    this.cancelTyping = this.ports.wait(TYPING_MS, () => this.change({ typing: null }));
  }

  private async readAgain(): Promise<void> {
    if (!this.mayRead()) return;
    this.isReading = true;
    this.cancelAgain();
    try {
      const transcript = await this.ports.readLines(null);
      this.failures = 0;
      this.changeLive((live) => readAgain(live, transcript));
      if (this.mustFollow && !this.isClosed) this.follow();
    } catch (error) {
      if (!this.isClosed) this.couldNotRead(error);
    } finally {
      this.isReading = false;
    }
  }

  private mayRead(): boolean {
    return !this.isReading && !this.isClosed;
  }

  private couldNotRead(error: unknown): void {
    const problem = asProblem(error);
    if (problem.status === 404) {
      this.end();
      this.become({ kind: 'erased' });
    } else if (!problem.isPassing && problem.status !== 429) {
      // Nobody has signed in, or may read it any more: further tries would be refused in the same way.
      this.end();
      this.become({ kind: 'failed', error });
    } else if (this.mustFollow) {
      // Else the stream, which tries by itself, leads to the next read.
      const delayMs = Math.min(AGAIN_MAX_MS, AGAIN_FIRST_MS * 2 ** this.failures);
      this.failures += 1;
      this.cancelAgain = this.ports.wait(delayMs, () => void this.readAgain());
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
