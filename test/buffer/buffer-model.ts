import type { ChannelName } from '../../src/channels';

/**
 * What the buffer of one conversation should do, computed in memory. The model-based test compares
 * the database with it. Times are milliseconds of the fake clock.
 */

export const LIMITS = { maxSize: 5, maxChars: 120, maxWaitMs: 30_000 };
export const LEASE_MS = 6000;
const WINDOW_MS = { web: 4000, telegram: 10_000 };
const TYPING_MS = 5000;
const DONE_MS = 1000;
const RECHECK_MS = 30_000;
const MAX_FAILURES = 5;

export interface ModelBuffer {
  state: 'open' | 'running' | 'retry' | 'done' | 'dead';
  firstAt: number;
  quietAt: number;
  dueAt: number;
  count: number;
  chars: number;
  pending: number;
  finished: boolean;
  failures: number;
  /** It was claimed and put back. */
  wasClaimed: boolean;
  /** Its reply is stored but not delivered. */
  isUndelivered: boolean;
  /** When its reply was delivered; null: it has none, or it is not delivered. */
  deliveredAt: number | null;
}

export interface ModelMessage {
  readonly externalId: string;
  readonly channel: ChannelName;
  text: string;
  /** It arrived as a voice message. A redelivery of it is a voice message too. */
  readonly isVoice: boolean;
  isPending: boolean;
  buffer: ModelBuffer;
  readonly receivedAt: number;
  /** False: it was alone in its buffer, so it is an answer of its own. */
  mayAdd: boolean;
  isCleared: boolean;
  /** The message whose text this one replaces. */
  amends: ModelMessage | null;
}

export type ModelFate = 'replied' | 'fails' | 'crashes_before_open' | 'crashes_after_model';

export class BufferModel {
  nowMs = 0;
  /** Makes external ids and texts unique. */
  counter = 0;
  crashes = 0;
  readonly buffers: ModelBuffer[] = [];
  readonly messages: ModelMessage[] = [];
  /** Texts in answered turns, in the order of their replies. */
  readonly answered: string[] = [];

  get open(): ModelBuffer | undefined {
    return this.buffers.find((buffer) => buffer.state === 'open');
  }

  /**
   * The buffer that is claimed next, if it is due. `retryDueMs` is the due time of a retry, which
   * the caller reads from the database because the model does not know its jitter.
   */
  claimable(retryDueMs: number): ModelBuffer | undefined {
    const head = this.buffers.find((buffer) => ['open', 'running', 'retry'].includes(buffer.state));
    const dueAt = head?.state === 'retry' ? retryDueMs : (head?.dueAt ?? Infinity);
    return dueAt <= this.nowMs ? head : undefined;
  }

  append(channel: ChannelName, text: string, externalId: string, isPending = false): void {
    const buffer = this.join(channel, text.length, isPending ? 1 : 0);
    this.messages.push({
      externalId,
      channel,
      text,
      isVoice: isPending,
      isPending,
      buffer,
      receivedAt: this.nowMs,
      mayAdd: true,
      isCleared: false,
      amends: null,
    });
  }

  /** Whether it came before the last reply was delivered. */
  cameBeforeReply({ mayAdd, receivedAt }: ModelMessage): boolean {
    const last = this.buffers.findLast(
      (buffer) => buffer.isUndelivered || buffer.deliveredAt !== null,
    );
    if (!mayAdd || last === undefined) return false;
    return last.deliveredAt === null || last.deliveredAt > receivedAt;
  }

  type(): void {
    const buffer = this.open;
    if (buffer === undefined || buffer.finished || isFull(buffer)) return;
    this.extend(buffer, TYPING_MS);
  }

  finish(): void {
    const buffer = this.open;
    if (buffer === undefined) return;
    if (!buffer.finished) buffer.quietAt = this.nowMs + DONE_MS;
    buffer.finished = true;
    this.setDue(buffer);
  }

  /** Changes the newest text of a message, or adds an amendment when that text is no longer open. */
  edit(
    message: ModelMessage,
    text: string,
    amendmentIdOf: (current: ModelMessage) => string,
  ): void {
    const corrections = this.messages.filter(({ amends }) => amends === message);
    const current = corrections.at(-1) ?? message;
    if (current.isPending || current.buffer.state !== 'open') {
      this.append(message.channel, text, amendmentIdOf(current));
      const amendment = this.messages.at(-1);
      if (amendment !== undefined) amendment.amends = message;
      return;
    }
    current.buffer.chars += text.length - current.text.length;
    current.text = text;
    this.extend(current.buffer, current.buffer.finished ? -Infinity : TYPING_MS);
  }

  transcribe(message: ModelMessage, text: string): void {
    if (!message.isPending) return;
    const { buffer } = message;
    message.isPending = false;
    message.text = text;
    if (buffer.state === 'open') {
      buffer.pending -= 1;
      buffer.chars += text.length;
      this.setDue(buffer);
      return;
    }
    message.mayAdd = this.of(buffer).some((other) => other !== message && !other.isPending);
    message.buffer = this.join(message.channel, text.length, 0);
  }

  /** Claims `buffer`; returns the text that the language model gets, if it is called. */
  flush(buffer: ModelBuffer, fate: ModelFate, isDeliveredAtOnce: boolean): string | null {
    if (this.buffers.some((other) => other.isUndelivered)) {
      buffer.state = 'open';
      buffer.wasClaimed = true;
      buffer.dueAt = this.nowMs + RECHECK_MS;
      return null;
    }
    const ready = this.of(buffer).filter((message) => !message.isPending);
    if (fate === 'crashes_before_open') this.leave(buffer);
    else if (ready.length === 0) buffer.state = 'done';
    else return this.ask(buffer, ready, fate, isDeliveredAtOnce);
    return null;
  }

  deliver(): void {
    for (const buffer of this.buffers.filter((other) => other.isUndelivered)) {
      buffer.isUndelivered = false;
      buffer.deliveredAt = this.nowMs;
      this.clear(buffer);
      if (this.open?.wasClaimed === true) this.setDue(this.open);
    }
  }

  private ask(
    buffer: ModelBuffer,
    ready: readonly ModelMessage[],
    fate: ModelFate,
    isDeliveredAtOnce: boolean,
  ): string {
    const answer = ready.map((message) => message.text).join('\n\n');
    if (fate === 'crashes_after_model') this.leave(buffer);
    if (fate === 'fails') {
      buffer.failures += 1;
      buffer.state = buffer.failures < MAX_FAILURES ? 'retry' : 'dead';
    }
    if (fate === 'replied') {
      buffer.state = 'done';
      this.answered.push(...ready.map((message) => message.text));
      buffer.isUndelivered = !isDeliveredAtOnce;
      if (isDeliveredAtOnce) {
        buffer.deliveredAt = this.nowMs;
        this.clear(buffer);
      }
    }
    return answer;
  }

  private leave(buffer: ModelBuffer): void {
    buffer.state = 'running';
    buffer.dueAt = this.nowMs + LEASE_MS;
    this.crashes += 1;
  }

  private clear(buffer: ModelBuffer): void {
    for (const message of this.of(buffer)) if (!message.isPending) message.isCleared = true;
    if (this.open?.wasClaimed === true) this.setDue(this.open);
  }

  private of(buffer: ModelBuffer): ModelMessage[] {
    return this.messages.filter((message) => message.buffer === buffer);
  }

  private join(channel: ChannelName, chars: number, pending: 0 | 1): ModelBuffer {
    const quietAt = this.nowMs + (channel === 'web' ? WINDOW_MS.web : WINDOW_MS.telegram);
    const known = this.open;
    const buffer = known ?? this.openOne();
    buffer.count += 1;
    buffer.chars += chars;
    buffer.pending += pending;
    buffer.finished = false;
    buffer.quietAt = Math.max(buffer.quietAt, quietAt);
    this.setDue(buffer);
    return buffer;
  }

  private openOne(): ModelBuffer {
    const buffer: ModelBuffer = {
      state: 'open',
      firstAt: this.nowMs,
      quietAt: 0,
      dueAt: 0,
      count: 0,
      chars: 0,
      pending: 0,
      finished: false,
      failures: 0,
      wasClaimed: false,
      isUndelivered: false,
      deliveredAt: null,
    };
    this.buffers.push(buffer);
    return buffer;
  }

  private extend(buffer: ModelBuffer, windowMs: number): void {
    buffer.quietAt = Math.max(buffer.quietAt, this.nowMs + windowMs);
    this.setDue(buffer);
  }

  private setDue(buffer: ModelBuffer): void {
    const { firstAt, quietAt, pending } = buffer;
    const endsAt = isFull(buffer) ? this.nowMs : quietAt;
    buffer.dueAt = Math.min(firstAt + LIMITS.maxWaitMs, pending > 0 ? Infinity : endsAt);
  }
}

function isFull(buffer: ModelBuffer): boolean {
  return buffer.count >= LIMITS.maxSize || buffer.chars >= LIMITS.maxChars;
}
