import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock';
import { describeError } from '../common/errors';
import { UnitOfWorkFactory } from '../common/uow';
import { type LiveReply, LiveReplies, type ReplyObserver, type ReplyClaim } from './live-replies';
import { type Segment, SegmentRepository } from './segment.repository';

const WRITE_MS = 1000;

interface WrittenSegments {
  readonly claim: ReplyClaim;
  /** So many UTF-16 units of the text are stored. */
  units: number;
}

/**
 * Stores the growth of all replies that this process writes, in one commit a second. turn.close
 * stores the end of a reply. A reply never waits for it: a failed write is tried again.
 */
@Injectable()
export class SegmentWriter implements ReplyObserver, OnModuleInit {
  private readonly logger = new Logger('Streams');
  private readonly owned = new Map<LiveReply, WrittenSegments>();
  private idle = new AbortController();
  private isRunning = false;

  constructor(
    private readonly live: LiveReplies,
    private readonly segments: SegmentRepository,
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.live.observe(this);
  }

  onBegun(reply: LiveReply, claim: ReplyClaim): void {
    this.owned.set(reply, { claim, units: 0 });
    if (!this.isRunning) void this.run();
  }

  onChanged(reply: LiveReply): void {
    if (reply.end === null || !this.owned.delete(reply)) return;
    if (this.owned.size === 0) this.idle.abort();
  }

  onRowsChanged(): void {
    // Only the text of running replies is stored here.
  }

  /** Stores what has grown since the last time. */
  async write(): Promise<void> {
    const growth = [...this.owned].flatMap(([reply, written]) => growthOf(reply, written) ?? []);
    if (growth.length === 0) return;
    const stored = await this.units.run('stream.segments', (uow) =>
      uow.commit('stream.segments', (tx) => this.segments.write(tx, growth)),
    );
    for (const segment of growth) {
      const written = this.owned.get(segment.reply);
      if (written === undefined || !stored.has(segment.turnId)) continue;
      written.units = segment.startAt + segment.text.length;
    }
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.owned.size > 0) {
      this.idle = new AbortController();
      await this.clock.sleep(WRITE_MS, this.idle.signal);
      await this.write().catch((error: unknown) => {
        this.logger.debug(`segments could not be stored; trying again: ${describeError(error)}`);
      });
    }
    this.isRunning = false;
  }
}

function growthOf(
  reply: LiveReply,
  { claim, units }: WrittenSegments,
): (Segment & { reply: LiveReply }) | null {
  if (reply.length <= units || !claim.flow.holdsLease) return null;
  const { turnId, epoch } = reply.origin;
  return { reply, claim, turnId, epoch, startAt: units, text: reply.textFrom(units) };
}
