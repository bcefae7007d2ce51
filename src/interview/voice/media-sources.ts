import { Injectable, Logger } from '@nestjs/common';
import { ChannelRegistry, type FetchedMedia } from '../../channels';
import { Clock, aborted } from '../../common/clock';
import { assertOutsideCommit } from '../../common/uow';
import {
  type Breaker,
  CLOSED,
  afterPeerResponded,
  afterPeerFailed,
  type JobFlow,
  afterTime,
  withProbe,
  JobPostponedError,
} from '../../jobs';

/**
 * Fetches audio and files from the channels that hold them. Each channel has a breaker of its own:
 * while one does not respond, its voices and files wait and those of the others do not.
 */
@Injectable()
export class MediaSources {
  private readonly logger = new Logger('Media');
  private readonly sources = new Map<string, Source>();

  constructor(
    private readonly channels: ChannelRegistry,
    private readonly clock: Clock,
  ) {}

  /**
   * For a job, under its lease and never inside a commit. Throws MediaUnavailableError, which makes
   * the job due again, while the channel does not respond, UnknownChannelError, and ChannelOffError
   * for a channel that is off or holds no media.
   */
  async fetch({ channel, source, maxBytes }: WantedMedia, flow: JobFlow): Promise<FetchOutcome> {
    assertOutsideCommit('media source');
    if (source === null) return { kind: 'gone' };
    flow.assertLease();
    const fetched = await this.tryFetch(channel, source, flow.signal);
    flow.signal.throwIfAborted();
    if ('againInMs' in fetched) {
      throw new MediaUnavailableError(
        `the channel "${channel}" provides no files at the moment`,
        fetched.againInMs,
      );
    }
    const isTooLarge = fetched.kind === 'bytes' && fetched.bytes.length > maxBytes;
    return isTooLarge ? { kind: 'too_large' } : fetched;
  }

  private async tryFetch(
    channel: string,
    reference: string,
    signal: AbortSignal,
  ): Promise<FetchOutcome | { readonly againInMs: number }> {
    const holder = this.channels.getMediaHolder(channel);
    const source = this.sourceOf(channel);
    const againInMs = this.waitMs(source);
    if (againInMs > 0) return { againInMs };
    const wasProbe = source.breaker.state === 'half_open';
    source.breaker = withProbe(source.breaker, true);
    source.running += 1;
    try {
      const fetch = (until: AbortSignal) => holder.fetchMedia(reference, until);
      const fetched = await this.fetchBounded(fetch, signal);
      if (fetched.kind !== 'unavailable') {
        this.change(source, afterPeerResponded(source.breaker));
        return fetched;
      }
      // Aborted by us, which says nothing about the channel.
      if (!signal.aborted) this.failed(source, wasProbe, fetched.retryAfterMs ?? 0);
      return { againInMs: this.waitMs(source) };
    } finally {
      if (wasProbe) source.breaker = withProbe(source.breaker, false);
      source.running -= 1;
    }
  }

  private sourceOf(channel: string): Source {
    const known = this.sources.get(channel);
    if (known !== undefined) return known;
    const source = { channel, breaker: CLOSED, running: 0 };
    this.sources.set(channel, source);
    return source;
  }

  /** 0: a fetch may begin now. */
  private waitMs(source: Source): number {
    const nowMs = this.clock.monotonicMs();
    source.breaker = afterTime(source.breaker, nowMs);
    const { breaker, running } = source;
    if (breaker.state === 'open') return breaker.untilMs - nowMs;
    if (breaker.state === 'half_open' && breaker.isProbing) return PROBE_PAUSE_MS;
    return running < MAX_RUNNING ? 0 : BUSY_PAUSE_MS;
  }

  private async fetchBounded(
    fetch: (until: AbortSignal) => Promise<FetchedMedia>,
    signal: AbortSignal,
  ): Promise<FetchedMedia> {
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    const unavailable = (): FetchedMedia => ({ kind: 'unavailable' });
    try {
      return await Promise.race([
        fetch(ended),
        this.clock.sleep(LONGEST_MS, ended).then(unavailable),
        aborted(ended).then(unavailable),
      ]);
    } finally {
      over.abort();
    }
  }

  private failed(source: Source, wasProbe: boolean, retryAfterMs: number): void {
    const nowMs = this.clock.monotonicMs();
    const event = { nowMs, retryAfterMs, wasProbe, chance: Math.random() };
    this.change(source, afterPeerFailed(source.breaker, event));
  }

  /** Logs the beginning and the end of an outage. */
  private change(source: Source, next: Breaker): void {
    const { breaker, channel } = source;
    source.breaker = next;
    if (breaker.state === 'closed' && next.state === 'open') {
      this.logger.warn(`${channel} provides no audio or files; its messages wait until it does`);
    }
    if (breaker.state !== 'closed' && next.state === 'closed') {
      this.logger.log(`${channel} provides audio and files again`);
    }
  }
}

const LONGEST_MS = 60_000;
/** Most fetches that run at once from one channel, so that a slow one does not take all of the queue. */
const MAX_RUNNING = 4;
/** The pause before the next try while MAX_RUNNING fetches run. */
const BUSY_PAUSE_MS = 1000;
/** The pause before the next try while another job probes the channel. */
const PROBE_PAUSE_MS = 5000;

interface Source {
  readonly channel: string;
  breaker: Breaker;
  running: number;
}

interface WantedMedia {
  readonly channel: string;
  /** Null: its channel gave no reference. */
  readonly source: string | null;
  readonly maxBytes: number;
}

/** What a job continues with: the bytes, or the fact that they will never come. */
type FetchOutcome = Exclude<FetchedMedia, { kind: 'unavailable' }>;

/** The channel that holds this audio or file does not respond; other channels are not affected. */
class MediaUnavailableError extends JobPostponedError {
  override readonly code = 'media_unavailable';
}
