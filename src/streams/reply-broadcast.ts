import type { Tx } from '../common/uow';
import { signalWithCommit, SignalConnection, type SignalListener } from '../persistence';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DomainEventHandler, type PayloadOf, type TeamChange } from '../common/events';
import { RunMode } from '../common/run-mode';
import { type LiveReply, LiveReplies, type ReplyObserver } from './live-replies';

/**
 * Notifies the other replicas of replies that grow, of commits that are made here and of what concerns the team's
 * pages, packed, at most once in 50 ms. When signals could not be sent, it sends `lost` after the next connect, and
 * the other replicas read the rows.
 */
@Injectable()
export class ReplyBroadcast implements ReplyObserver, SignalListener, OnModuleInit {
  /** By reply that is being written, how many UTF-16 units of it were sent. */
  private readonly sentUnits = new Map<LiveReply, number>();
  private readonly committed = new Set<string>();
  /** What concerns the team's pages, the last of each kind and id. */
  private readonly ofTeam = new Map<string, TeamSignal>();
  private isTicking = false;
  private lastTickMs = -Infinity;
  /** Signals could not be sent, and `lost` was not sent yet. */
  private hasLost = false;

  constructor(
    private readonly live: LiveReplies,
    private readonly signals: SignalConnection,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.live.observe(this);
    this.signals.listen(this);
  }

  /** This class only sends. */
  onSignal(): void {
    return undefined;
  }

  onConnected(): void {
    if (this.hasLost) this.tickSoon();
  }

  onBegun(reply: LiveReply): void {
    this.sentUnits.set(reply, 0);
  }

  onChanged(reply: LiveReply): void {
    // Readers on other replicas read from the rows how the reply ended.
    if (reply.end !== null) this.committed.add(reply.origin.conversationId);
    this.tickSoon();
  }

  onRowsChanged(conversationId: string): void {
    this.committed.add(conversationId);
    this.tickSoon();
  }

  announce(signal: TeamSignal): void {
    const { kind } = signal;
    const key =
      kind === 'team' ? `${signal.change.kind} ${signal.change.id}` : keyOfTab(signal.sign);
    this.ofTeam.set(key, signal);
    this.tickSoon();
  }

  private tickSoon(): void {
    if (this.isTicking) return;
    this.isTicking = true;
    void this.tick();
  }

  private async tick(): Promise<void> {
    await this.clock.sleep(this.lastTickMs + TICK_MS - this.clock.monotonicMs());
    this.lastTickMs = this.clock.monotonicMs();
    await this.send([...this.growth(), ...this.commits(), ...this.teamSignals()]);
    this.isTicking = false;
    if (this.hasNews()) this.tickSoon();
  }

  private async send(news: readonly ReplicaSignal[]): Promise<void> {
    if (!this.signals.isConnected) {
      this.hasLost ||= news.length > 0;
      return;
    }
    const payloads = packSignals(this.hasLost ? [{ kind: 'lost' }, ...news] : news);
    if (payloads.length === 0) return;
    this.hasLost = !(await this.signals.send(payloads));
  }

  private hasNews(): boolean {
    const replies = [...this.sentUnits];
    const isGrown = replies.some(([reply, units]) => reply.length > units);
    return isGrown || this.committed.size > 0 || this.ofTeam.size > 0;
  }

  private teamSignals(): TeamSignal[] {
    const signals = [...this.ofTeam.values()];
    this.ofTeam.clear();
    return signals;
  }

  /** Without other replicas nobody is told. One that comes while a reply is written reads its rows. */
  private growth(): ReplicaSignal[] {
    const signals: ReplicaSignal[] = [];
    const { hasPeers } = this.signals;
    for (const [reply, offset] of this.sentUnits) {
      const { conversationId, turnId, epoch } = reply.origin;
      const text = hasPeers ? reply.textFrom(offset) : '';
      if (text !== '') signals.push({ kind: 'text', conversationId, turnId, epoch, offset, text });
      if (reply.end === null) this.sentUnits.set(reply, reply.length);
      else this.sentUnits.delete(reply);
    }
    return signals;
  }

  private commits(): ReplicaSignal[] {
    const conversationIds = [...this.committed];
    this.committed.clear();
    return conversationIds.map((conversationId) => ({ kind: 'rows', conversationId }));
  }
}

const TICK_MS = 50;

/**
 * What replicas send to each other. `text`: a piece of a reply that is being written, from `offset`
 * (UTF-16 units) on. `rows`: rows of the conversation were committed. `lost`: the sender could not
 * send some signals, of any conversations. `team`, `reading`: see TeamFeed and TeamPresence.
 */
export type ReplicaSignal =
  | {
      readonly kind: 'text';
      readonly conversationId: string;
      readonly turnId: string;
      readonly epoch: number;
      readonly offset: number;
      readonly text: string;
    }
  | { readonly kind: 'rows'; readonly conversationId: string }
  | { readonly kind: 'lost' }
  | TeamSignal;

type TeamSignal =
  | { readonly kind: 'team'; readonly change: TeamChange }
  | { readonly kind: 'reading'; readonly sign: ReadingSign };

/** A tab of a colleague's browser says which interview it shows. */
export interface ReadingSign {
  /** Chosen by the page; unique for the user. */
  readonly tab: string;
  readonly userId: string;
  readonly name: string;
  /** Null: it shows none any more. */
  readonly interviewId: string | null;
  readonly vacancyId: string | null;
}

export function keyOfTab({ userId, tab }: Pick<ReadingSign, 'userId' | 'tab'>): string {
  return `${userId} ${tab}`;
}

/** PostgreSQL takes less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/** Packs signals into as few payloads as possible, in order; long texts in several pieces. */
export function packSignals(signals: readonly ReplicaSignal[]): string[] {
  const payloads: string[] = [];
  let items: string[] = [];
  let bytes = 2;
  for (const item of signals.flatMap(piecesOf).map(encode)) {
    const itemBytes = Buffer.byteLength(item) + 1;
    if (items.length > 0 && bytes + itemBytes > MAX_PAYLOAD_BYTES) {
      payloads.push(`[${items.join(',')}]`);
      items = [];
      bytes = 2;
    }
    items.push(item);
    bytes += itemBytes;
  }
  if (items.length > 0) payloads.push(`[${items.join(',')}]`);
  return payloads;
}

/** A unit takes at most 6 bytes of JSON (`\u0001`), and the rest of a piece less than 200. */
const MAX_PIECE_UNITS = 1_200;

/** Every piece ends on a whole code point. */
function piecesOf(signal: ReplicaSignal): ReplicaSignal[] {
  if (signal.kind !== 'text' || signal.text.length <= MAX_PIECE_UNITS) return [signal];
  const pieces: ReplicaSignal[] = [];
  for (let from = 0; from < signal.text.length;) {
    let end = Math.min(from + MAX_PIECE_UNITS, signal.text.length);
    if (end < signal.text.length && isHighSurrogate(signal.text.charCodeAt(end - 1))) end -= 1;
    const text = signal.text.slice(from, end);
    pieces.push({ ...signal, offset: signal.offset + from, text });
    from = end;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** In place of a conversation's id. */
const LOST = '*';

function encode(signal: ReplicaSignal): string {
  if (signal.kind === 'lost') return JSON.stringify([LOST]);
  if (signal.kind === 'team') {
    const { kind, id, interviewId, vacancyId } = signal.change;
    return JSON.stringify(['team', kind, id, interviewId, vacancyId]);
  }
  if (signal.kind === 'reading') {
    const { userId, tab, name, interviewId, vacancyId } = signal.sign;
    return JSON.stringify(['reading', userId, tab, name, interviewId, vacancyId]);
  }
  if (signal.kind === 'rows') return JSON.stringify([signal.conversationId]);
  const { conversationId, turnId, epoch, offset, text } = signal;
  return JSON.stringify([conversationId, turnId, epoch, offset, text]);
}

/** Skips what it cannot read, because a replica of another version may have sent it. */
export function unpackSignals(payload: string): ReplicaSignal[] {
  let items: unknown;
  try {
    items = JSON.parse(payload);
  } catch {
    return [];
  }
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => decode(item) ?? []);
}

function decode(item: unknown): ReplicaSignal | null {
  if (!Array.isArray(item)) return null;
  if (item[0] === 'team' || item[0] === 'reading') return decodeOfTeam(item);
  const [conversationId, turnId, epoch, offset, text] = item as unknown[];
  if (typeof conversationId !== 'string') return null;
  if (item.length === 1) {
    return conversationId === LOST ? { kind: 'lost' } : { kind: 'rows', conversationId };
  }
  const isText =
    typeof turnId === 'string' &&
    Number.isSafeInteger(epoch) &&
    Number.isSafeInteger(offset) &&
    typeof text === 'string';
  if (!isText) return null;
  const [atEpoch, atOffset] = [epoch as number, offset as number];
  return { kind: 'text', conversationId, turnId, epoch: atEpoch, offset: atOffset, text };
}

function decodeOfTeam([form, ...fields]: readonly unknown[]): TeamSignal | null {
  if (!fields.every((field) => field === null || typeof field === 'string')) return null;
  const [first, second, third, fourth, fifth] = fields as readonly (string | null | undefined)[];
  if (first == null || second == null) return null;
  if (form === 'team') {
    const change = { id: second, interviewId: third ?? null, vacancyId: fourth ?? null };
    // A kind of a newer version is no kind of any event here, and nobody is told of it.
    return { kind: 'team', change: { kind: first as TeamChange['kind'], ...change } };
  }
  if (third == null) return null;
  const place = { interviewId: fourth ?? null, vacancyId: fifth ?? null };
  return { kind: 'reading', sign: { userId: first, tab: second, name: third, ...place } };
}

/**
 * For commands, which have no readers of their own: notifies the replicas with the commit that
 * changed the conversation, so that a command may end right after it.
 */
@Injectable()
export class SignalWithCommit {
  constructor(private readonly mode: RunMode) {}

  @DomainEventHandler('conversation.changed')
  async onConversationChanged(
    tx: Tx,
    { conversationId }: PayloadOf<'conversation.changed'>,
  ): Promise<void> {
    if (this.mode.isServing) return;
    await signalWithCommit(tx, packSignals([{ kind: 'rows', conversationId }]));
  }

  @DomainEventHandler('team.changed')
  async onTeamChanged(tx: Tx, change: PayloadOf<'team.changed'>): Promise<void> {
    if (this.mode.isServing) return;
    await signalWithCommit(tx, packSignals([{ kind: 'team', change }]));
  }
}
