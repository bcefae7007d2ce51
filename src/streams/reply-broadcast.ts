import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock';
import { NoticeConnection, type NoticeListener } from '../persistence';
import type { LiveReply } from './live-reply';
import { LiveReplies, type ReplyObserver } from './live-replies';
import { type Notice, packNotices } from './notice';
import { StreamMetrics } from './stream-metrics';

const TICK_MS = 50;

/**
 * Tells the other replicas what grows and what is committed here, packed, at most once in 50 ms.
 * What could not be sent is told as lost once there is contact again: nobody else knows that there
 * was something to hear, and whoever waits reads rows then.
 */
@Injectable()
export class ReplyBroadcast implements ReplyObserver, NoticeListener, OnModuleInit {
  /** By reply that is being written, how many UTF-16 units of it were told. */
  private readonly told = new Map<LiveReply, number>();
  private readonly committed = new Set<string>();
  private isTicking = false;
  private lastTickMs = -Infinity;
  /** Notices could not be sent, and the others do not know of it yet. */
  private hasLost = false;

  constructor(
    private readonly live: LiveReplies,
    private readonly notices: NoticeConnection,
    private readonly clock: Clock,
    private readonly metrics: StreamMetrics,
  ) {}

  onModuleInit(): void {
    this.live.observe(this);
    this.notices.listen(this);
  }

  /** It only tells. */
  onNotice(): void {
    return undefined;
  }

  onConnected(): void {
    if (this.hasLost) this.tickSoon();
  }

  onBegun(reply: LiveReply): void {
    this.told.set(reply, 0);
  }

  onChanged(reply: LiveReply): void {
    // Broken off: its readers elsewhere have to look what becomes of it.
    if (reply.end !== null) this.committed.add(reply.origin.conversationId);
    this.tickSoon();
  }

  onCommitted(conversationId: string): void {
    this.committed.add(conversationId);
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
    await this.tell([...this.growth(), ...this.commits()]);
    this.isTicking = false;
    if (this.hasNews()) this.tickSoon();
  }

  private async tell(news: readonly Notice[]): Promise<void> {
    if (!this.notices.isConnected) {
      this.hasLost ||= news.length > 0;
      return;
    }
    const payloads = packNotices(this.hasLost ? [{ kind: 'lost' }, ...news] : news);
    if (payloads.length === 0) return;
    this.metrics.noticesSent(payloads.length);
    this.hasLost = !(await this.notices.send(payloads));
  }

  private hasNews(): boolean {
    const replies = [...this.told];
    return this.committed.size > 0 || replies.some(([reply, units]) => reply.length > units);
  }

  private growth(): Notice[] {
    const notices: Notice[] = [];
    for (const [reply, offset] of this.told) {
      const { conversationId, turnId, epoch } = reply.origin;
      const text = reply.textFrom(offset);
      if (text !== '') notices.push({ kind: 'text', conversationId, turnId, epoch, offset, text });
      if (reply.end === null) this.told.set(reply, reply.length);
      else this.told.delete(reply);
    }
    return notices;
  }

  private commits(): Notice[] {
    const conversationIds = [...this.committed];
    this.committed.clear();
    return conversationIds.map((conversationId) => ({ kind: 'rows', conversationId }));
  }
}
