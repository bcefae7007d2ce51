/** Shapes of the candidate API, and a browser's storage and timers, for the page's unit tests. */
import type { ConversationView, WireMessage } from '../../web/src/api/wire';
import type { Recording } from '../../web/src/microphone';
import type { KeyValueStorage, Wait } from '../../web/src/platform';

export function aMessage(seq: number, facts: Partial<WireMessage> = {}): WireMessage {
  return {
    id: `m${String(seq)}`,
    clientId: null,
    seq,
    role: 'assistant',
    contentType: 'TEXT',
    text: `message ${String(seq)}`,
    createdAt: '2026-01-01T10:00:00Z',
    ...facts,
  };
}

export function aView(facts: Partial<ConversationView> = {}): ConversationView {
  return {
    id: 'conversation',
    status: 'active',
    owner: 'model',
    language: 'en',
    company: 'Northwind',
    vacancyTitle: 'Engineer',
    interviewer: 'ai',
    brand: { logo: null, accent: null },
    asked: [],
    reply: { from: '', withinDays: null, by: null },
    receipt: false,
    progress: { question: 1, of: 7 },
    disclosure: { version: 'v1', text: 'You talk to an AI.' },
    consent: { version: 'v1', accepted: true, at: '2026-01-01T10:00:00Z' },
    takesMessages: true,
    profile: { name: 'Maria', contact: 'maria@example.org', needed: [] },
    hasBuffer: false,
    dueInMs: null,
    replying: false,
    voice: true,
    telegram: false,
    limits: { maxMessageChars: 16_000, maxFileBytes: 1000 },
    messages: [],
    olderCursor: null,
    ...facts,
  };
}

export function aStorage(): KeyValueStorage {
  const map = new Map<string, string>();
  return {
    keys: () => [...map.keys()],
    get: (key) => map.get(key) ?? null,
    set: (key, value) => void map.set(key, value),
    remove: (key) => void map.delete(key),
  };
}

/** A microphone that stays connected. */
export function aRecording(facts: Partial<Recording> = {}): Recording {
  return {
    stop: () => Promise.resolve(new Blob(['sound'])),
    cancel: () => undefined,
    ended: new Promise(() => undefined),
    ...facts,
  };
}

interface Timer {
  ms: number;
  then: () => void;
}

/** Timers that the test runs. */
export class Timers {
  private pending: Timer[] = [];

  readonly wait: Wait = (ms, then) => {
    const timer = { ms, then };
    this.pending.push(timer);
    return () => {
      this.pending = this.pending.filter((other) => other !== timer);
    };
  };

  live(): readonly Timer[] {
    return this.pending;
  }

  /** Runs the first pending timer, or the first that waits for `ms`. */
  fire(ms?: number): void {
    const timer = this.pending.find((one) => ms === undefined || one.ms === ms);
    this.pending = this.pending.filter((other) => other !== timer);
    timer?.then();
  }
}

/** Runs every promise that is ready; the fakes respond without a timer. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

/** An EventSource whose connection the test controls. */
export class FakeEventSource {
  readonly CLOSED = 2;
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  private readonly listeners = new Map<string, (frame: { data: string }) => void>();

  addEventListener(name: string, listener: (frame: { data: string }) => void): void {
    this.listeners.set(name, listener);
  }

  close(): void {
    this.readyState = this.CLOSED;
  }

  connect(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  /** A cut connection, which the browser repairs; or a refused one, after which it gives up. */
  fail(isFinal: boolean): void {
    this.readyState = isFinal ? this.CLOSED : 0;
    this.onerror?.();
  }

  send(name: string, data: object): void {
    this.listeners.get(name)?.({ data: JSON.stringify(data) });
  }

  asEventSource(): EventSource {
    return this as unknown as EventSource;
  }
}
