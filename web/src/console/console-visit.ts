/**
 * A visit to one interview with the admin token, which belongs to nobody.
 *
 *   login ──token──> loading ──response──> reading
 *    ^ ^               │ ^ └──> off, gone, tooMany, unreachable ──again──┐
 *    │ └──refused──────┘ └───────────────────────────────────────────────┘
 *    └──the token is forgotten── reading
 *
 * An address that names no interview stays `incomplete`.
 */
import type { OlderMessages } from '../state/conversation';
import { AdminApi } from './admin-api';
import { dropToken, keepToken, keptToken } from './kept-token';
import type { Transcript } from './wire';

export type ConsoleState =
  | { kind: 'login'; wasRefused: boolean }
  | { kind: 'loading' | 'incomplete' | 'off' | 'gone' | 'unreachable' }
  | { kind: 'tooMany'; waitS: number | null }
  | { kind: 'reading'; transcript: Transcript; older: OlderMessages; api: AdminApi };

export class ConsoleVisit {
  private state: ConsoleState = { kind: 'incomplete' };
  private readonly listeners = new Set<() => void>();

  /** Null: the address names no interview. */
  constructor(private readonly conversationId: string | null) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): ConsoleState => this.state;

  async load(): Promise<void> {
    if (this.conversationId === null) return;
    const token = keptToken();
    if (token === null) {
      this.become({ kind: 'login', wasRefused: false });
      return;
    }
    this.become({ kind: 'loading' });
    const api = new AdminApi(token);
    const response = await api.transcript(this.conversationId, null);
    if (response.kind === 'ok') {
      const older = { cursor: response.value.olderCursor, state: 'idle' } as const;
      this.become({ kind: 'reading', transcript: response.value, older, api });
    } else if (response.kind === 'refused') {
      dropToken();
      this.become({ kind: 'login', wasRefused: true });
    } else {
      this.become(response);
    }
  }

  async enter(token: string): Promise<void> {
    keepToken(token);
    await this.load();
  }

  /** Reads the lines before those on the page. */
  async showOlder(): Promise<void> {
    const before = this.state;
    if (before.kind !== 'reading') return;
    const { transcript, api, older } = before;
    const { cursor } = older;
    if (cursor === null || older.state === 'loading') return;
    const loading: ConsoleState = { ...before, older: { cursor, state: 'loading' } };
    this.become(loading);
    const response = await api.transcript(transcript.conversationId, cursor);
    // Locked or reloaded meanwhile, so this page of lines is not used.
    if (this.state !== loading) return;
    if (response.kind === 'refused') {
      this.lock();
    } else if (response.kind === 'ok') {
      const lines = [...response.value.lines, ...transcript.lines];
      this.become({
        ...before,
        transcript: { ...transcript, lines },
        older: { cursor: response.value.olderCursor, state: 'idle' },
      });
    } else {
      this.become({ ...before, older: { cursor, state: 'failed' } });
    }
  }

  lock(): void {
    dropToken();
    this.become({ kind: 'login', wasRefused: false });
  }

  private become(state: ConsoleState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
