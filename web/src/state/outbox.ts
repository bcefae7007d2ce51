/**
 * The candidate's messages that are being sent. A message is written to storage before it is sent and
 * removed only when the server has acknowledged it (202) or the candidate discards it, so a
 * reload, a crash of the tab or a dead network loses none.
 *
 * States of an item:
 * - sending: the first attempt is under way, or it queues behind one;
 * - waiting: an attempt failed for a temporary reason; it is tried again with backoff;
 * - refused: the server will never take it; it is set aside and the next ones are sent.
 *
 * Messages are sent one at a time, in the order of writing, and always under the same id: the server
 * acknowledges a repeated one in the same way. One storage key per message, so that two tabs
 * never overwrite each other's list; both may send the same message, which the id makes harmless.
 */
import { ApiProblem, isFinal } from '../api/client';
import type { Acknowledgement } from '../api/client';
import type { KeyValueStorage, Platform } from '../platform';

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 15_000;

/** Refusals that end when the candidate goes on. */
const PASSING_CODES = new Set(['consent_required', 'profile_required']);

export interface OutboxItem {
  id: string;
  text: string;
  writtenAt: string;
  state: 'sending' | 'waiting' | 'refused';
  /** Why it was refused; empty otherwise. */
  code: string;
}

interface OutboxPorts extends Pick<Platform, 'nowMs' | 'random' | 'wait' | 'newMessageId'> {
  storage: KeyValueStorage;
  send: (message: { id: string; text: string }) => Promise<Acknowledgement>;
  onAcknowledged: (item: OutboxItem, seq: number) => void;
  onProblem: (problem: ApiProblem) => void;
  onChange: (items: readonly OutboxItem[]) => void;
}

export function retryDelayMs(failures: number, random: number, retryAfterMs: number | null) {
  const backoff = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (failures - 1));
  return Math.max(retryAfterMs ?? 0, backoff * (0.75 + random / 4));
}

export class Outbox {
  private items: readonly OutboxItem[];
  private readonly prefix: string;
  private isSending = false;
  private isStopped = false;
  private failures = 0;
  private cancelRetry: () => void = () => undefined;
  private whenEmpty: (() => void) | null = null;

  constructor(
    conversationId: string,
    private readonly ports: OutboxPorts,
  ) {
    this.prefix = `colloquy.outbox.${conversationId}.`;
    this.items = this.stored();
  }

  list(): readonly OutboxItem[] {
    return this.items;
  }

  add(text: string): void {
    const id = this.ports.newMessageId();
    const writtenAt = new Date(this.ports.nowMs()).toISOString();
    const state = this.failures > 0 ? 'waiting' : 'sending';
    this.change([...this.items, { id, text, writtenAt, state, code: '' }]);
    this.ports.storage.set(
      this.prefix + id,
      JSON.stringify({ text, writtenAt, order: this.items.length }),
    );
    if (this.failures === 0) void this.pump();
  }

  /** Tries at once, because the network is back or the candidate asked for it. */
  retryNow(): void {
    this.cancelRetry();
    void this.pump();
  }

  /** Sends no more. Everything unacknowledged stays in storage. */
  stop(): void {
    this.isStopped = true;
    this.cancelRetry();
  }

  /** Sends no more, and keeps nothing of what was unsent. */
  forget(): void {
    this.stop();
    for (const key of this.ports.storage.keys()) {
      if (key.startsWith(this.prefix)) this.ports.storage.remove(key);
    }
  }

  /** Gives up a message; the caller may put its text back into the draft. */
  discard(id: string): void {
    this.ports.storage.remove(this.prefix + id);
    this.change(this.items.filter((item) => item.id !== id));
  }

  /** Runs `then` once, when everything written so far has been acknowledged or refused. */
  afterDelivery(then: () => void): void {
    this.whenEmpty = then;
    this.settle();
  }

  private async pump(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    let item = this.next();
    while (item && (await this.attempt(item))) item = this.next();
    this.isSending = false;
    this.settle();
  }

  private next(): OutboxItem | undefined {
    if (this.isStopped) return undefined;
    return this.items.find(({ state }) => state !== 'refused');
  }

  private settle(): void {
    if (this.isStopped || this.next() || !this.whenEmpty) return;
    const then = this.whenEmpty;
    this.whenEmpty = null;
    then();
  }

  /** True when the queue may go on with the next message. */
  private async attempt(item: OutboxItem): Promise<boolean> {
    try {
      const { seq } = await this.ports.send({ id: item.id, text: item.text });
      this.failures = 0;
      this.ports.onAcknowledged(item, seq);
      this.discard(item.id);
      return true;
    } catch (error) {
      const problem = error instanceof ApiProblem ? error : null;
      if (problem) this.ports.onProblem(problem);
      if (isFinal(error) && !PASSING_CODES.has(error.code)) {
        this.mark(item.id, 'refused', error.code);
        return true;
      }
      this.retryLater(problem?.retryAfterMs ?? null);
      return false;
    }
  }

  private retryLater(retryAfterMs: number | null): void {
    this.failures += 1;
    this.change(
      this.items.map((item) => (item.state === 'sending' ? { ...item, state: 'waiting' } : item)),
    );
    this.cancelRetry();
    if (this.isStopped) return;
    this.cancelRetry = this.ports.wait(
      retryDelayMs(this.failures, this.ports.random(), retryAfterMs),
      () => void this.pump(),
    );
  }

  private mark(id: string, state: OutboxItem['state'], code: string): void {
    this.change(this.items.map((item) => (item.id === id ? { ...item, state, code } : item)));
  }

  private change(items: readonly OutboxItem[]): void {
    this.items = items;
    this.ports.onChange(items);
  }

  private stored(): OutboxItem[] {
    return this.ports.storage
      .keys()
      .filter((key) => key.startsWith(this.prefix))
      .flatMap((key) => {
        const record = readRecord(this.ports.storage.get(key));
        return record ? [{ ...record, id: key.slice(this.prefix.length) }] : [];
      })
      .sort((a, b) => compare(a.writtenAt, b.writtenAt) || a.order - b.order)
      .map(({ id, text, writtenAt }) => ({ id, text, writtenAt, state: 'sending', code: '' }));
  }
}

function readRecord(text: string | null) {
  if (text === null) return null;
  try {
    return JSON.parse(text) as { text: string; writtenAt: string; order: number };
  } catch {
    return null;
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
