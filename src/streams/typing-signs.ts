import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock';
import { isUuid } from '../common/ids';
import { SignalConnection, type SignalListener } from '../persistence';

/** Who types: the candidate, or a person of the hiring team who writes to them. */
type TypingSide = 'candidate' | 'team';

/**
 * Tells the readers of a conversation, here and on other replicas, that somebody types. Nothing is stored, and a
 * sign that is lost changes nothing: the next one comes some seconds later. Signs for other replicas are packed, at
 * most once in half a second.
 */
@Injectable()
export class TypingSigns implements SignalListener, OnModuleInit {
  private readonly listeners = new Map<string, Set<(side: TypingSide) => void>>();
  private readonly unsent = new Set<string>();
  private isSending = false;

  constructor(
    private readonly signals: SignalConnection,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.signals.listen(this);
  }

  /** Calls `listener` at each sign until the returned function is called. */
  watch(conversationId: string, listener: (side: TypingSide) => void): () => void {
    const listeners = this.listeners.get(conversationId) ?? new Set();
    this.listeners.set(conversationId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(conversationId) === listeners) {
        this.listeners.delete(conversationId);
      }
    };
  }

  /** Somebody types now. */
  note(conversationId: string, side: TypingSide): void {
    this.tell(conversationId, side);
    if (!this.signals.isConnected) return;
    this.unsent.add(`${MARKS[side]}${conversationId}`);
    if (this.isSending) return;
    this.isSending = true;
    void this.send();
  }

  onSignal(payload: string): void {
    if (!payload.startsWith(PREFIX)) return;
    for (const sign of payload.slice(PREFIX.length).split(' ')) {
      const side = SIDES[sign.charAt(0)];
      const conversationId = sign.slice(1);
      if (side !== undefined && isUuid(conversationId)) this.tell(conversationId, side);
    }
  }

  /** Signs that were missed are of the past. */
  onConnected(): void {
    return undefined;
  }

  private tell(conversationId: string, side: TypingSide): void {
    for (const listener of this.listeners.get(conversationId) ?? []) listener(side);
  }

  private async send(): Promise<void> {
    await this.clock.sleep(PACK_MS);
    const signs = [...this.unsent];
    this.unsent.clear();
    this.isSending = false;
    const payloads: string[] = [];
    for (let from = 0; from < signs.length; from += SIGNS_A_PAYLOAD) {
      payloads.push(PREFIX + signs.slice(from, from + SIGNS_A_PAYLOAD).join(' '));
    }
    await this.signals.send(payloads);
  }
}

const PREFIX = 'typing ';
const MARKS = { candidate: 'c', team: 't' } as const;
const SIDES: Readonly<Record<string, TypingSide>> = { c: 'candidate', t: 'team' };
const PACK_MS = 500;
/** PostgreSQL takes less than 8,000 bytes; a sign has 38. */
const SIGNS_A_PAYLOAD = 200;
