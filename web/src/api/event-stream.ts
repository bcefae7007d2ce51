/**
 * Follows a stream of events for as long as the page lives: that of a conversation, or the team's.
 *
 * EventSource reconnects by itself with Last-Event-ID; it gives up for good when the server responds
 * with an error (a deploy, a proxy). Then a new one is opened with backoff: it sends no
 * Last-Event-ID, so the server starts the running reply again, which replaces the text.
 * `lost` is reported only after a grace, so that a routine reconnect does not flash a banner.
 */
import type { Wait } from '../platform';
import type { ReplyPart, StreamEvent, WireMessage } from './wire';

const LOST_GRACE_MS = 1_500;
const REOPEN_FIRST_MS = 500;
const REOPEN_MAX_MS = 10_000;

export type Connection = 'connecting' | 'open' | 'lost';

interface StreamPorts<Event> {
  openEvents: () => EventSource;
  wait: Wait;
  names: readonly string[];
  decode: (name: string, data: string) => Event;
  onEvent: (event: Event) => void;
  onConnection: (connection: Connection) => void;
}

/** Those of a conversation. */
export const CONVERSATION_EVENTS = {
  names: ['hello', 'state', 'message', 'part', 'start', 'delta', 'finish', 'typing', 'ended'],
  decode,
} as const;

function decode(name: string, data: string): StreamEvent {
  const fields: unknown = JSON.parse(data);
  if (name === 'message') return { type: 'message', message: fields as WireMessage };
  if (name === 'part') return { type: 'part', part: fields as ReplyPart };
  return { type: name, ...(fields as object) } as StreamEvent;
}

export class EventStream<Event> {
  private source: EventSource | null = null;
  private failures = 0;
  private cancelReopen: () => void = () => undefined;
  private cancelGrace: (() => void) | null = null;

  constructor(private readonly ports: StreamPorts<Event>) {}

  /** Opens the stream, or replaces the present one by a fresh connection. */
  reopen(): void {
    this.cancelReopen();
    this.source?.close();
    const source = this.ports.openEvents();
    this.source = source;
    source.onopen = () => this.opened();
    source.onerror = () => this.failed(source);
    const { names, decode: read } = this.ports;
    for (const name of names) {
      source.addEventListener(name, (frame: MessageEvent<string>) => {
        if (this.source === source) this.ports.onEvent(read(name, frame.data));
      });
    }
  }

  /** The browser is offline: reports it at once and stops trying. */
  suspend(): void {
    this.close();
    this.sayLost();
  }

  close(): void {
    this.cancelReopen();
    this.cancelGrace?.();
    this.cancelGrace = null;
    this.source?.close();
    this.source = null;
  }

  private opened(): void {
    this.failures = 0;
    this.cancelGrace?.();
    this.cancelGrace = null;
    this.ports.onConnection('open');
  }

  private failed(source: EventSource): void {
    if (this.source !== source) return;
    this.cancelGrace ??= this.ports.wait(LOST_GRACE_MS, () => this.sayLost());
    if (source.readyState !== source.CLOSED) return;
    const delayMs = Math.min(REOPEN_MAX_MS, REOPEN_FIRST_MS * 2 ** this.failures);
    this.failures += 1;
    this.cancelReopen();
    this.cancelReopen = this.ports.wait(delayMs, () => this.reopen());
  }

  private sayLost(): void {
    this.cancelGrace?.();
    this.cancelGrace = null;
    this.ports.onConnection('lost');
  }
}
