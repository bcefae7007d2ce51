/**
 * A recruiter's visit to one interview.
 *
 *   door ──token──> loading ──answer──> reading
 *    ^ ^               │ ^ └──> off, gone, unreachable ──again──┐
 *    │ └──refused──────┘ └──────────────────────────────────────┘
 *    └──the token is forgotten── reading
 *
 * An address that names no interview is `incomplete` from the first to the last.
 */
import { AdminApi } from './admin-api';
import { dropToken, keepToken, keptToken } from './kept-token';
import type { Transcript } from './wire';

export type ConsoleState =
  | { kind: 'door'; wasRefused: boolean }
  | { kind: 'loading' | 'incomplete' | 'off' | 'gone' | 'unreachable' }
  | { kind: 'reading'; transcript: Transcript; api: AdminApi };

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
      this.become({ kind: 'door', wasRefused: false });
      return;
    }
    this.become({ kind: 'loading' });
    const api = new AdminApi(token);
    const answer = await api.transcript(this.conversationId);
    if (answer.kind === 'ok') {
      this.become({ kind: 'reading', transcript: answer.value, api });
    } else if (answer.kind === 'refused') {
      dropToken();
      this.become({ kind: 'door', wasRefused: true });
    } else {
      this.become({ kind: answer.kind });
    }
  }

  async enter(token: string): Promise<void> {
    keepToken(token);
    await this.load();
  }

  lock(): void {
    dropToken();
    this.become({ kind: 'door', wasRefused: false });
  }

  private become(state: ConsoleState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
