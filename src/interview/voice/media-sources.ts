import { Injectable, Logger } from '@nestjs/common';
import type { Channel } from '../../buffer';
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
} from '../../jobs';
import { VoiceSourceError, MediaUnavailableError } from '../conversation-rules';

/** What came of fetching an audio, or another file, from its channel. */
export type FetchedMedia =
  | {
      readonly kind: 'audio';
      readonly bytes: Buffer;
      /** Null: as it was announced. */
      readonly mimeType: string | null;
      readonly fileName: string | null;
    }
  /** The channel does not hand it out. */
  | { readonly kind: 'too_large' }
  /** The channel does not know it any more. */
  | { readonly kind: 'gone' }
  /** The channel as a whole is away: nobody's failure. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs?: number };

/** Where a channel's audio and files are. */
export interface VoiceSource {
  readonly channel: Channel;
  /**
   * What is under the reference that `receiveVoice` or `receiveFile` was given. Never throws for what a peer can
   * do. It settles soon when `signal` aborts, and at the latest a minute after its beginning.
   */
  fetch(reference: string, signal: AbortSignal): Promise<FetchedMedia>;
}

/** What a job goes on with: either the bytes, or they never come. */
type Fetched = Exclude<FetchedMedia, { kind: 'unavailable' }>;

interface Wanted {
  readonly channel: string;
  /** Null: its channel gave no reference. */
  readonly source: string | null;
  readonly maxBytes: number;
}

interface Registered {
  readonly source: VoiceSource;
  breaker: Breaker;
  running: number;
}

const LONGEST_MS = 60_000;
/** Of one channel at a time: while it is slow, the queue still has hands for the others. */
const AT_A_TIME = 4;
/** Until there may be room again. */
const ROOM_MS = 1000;
/** Until a probe that somebody else makes may have ended. */
const PROBE_MS = 5000;

/**
 * The port through which channels hand out audio and files that they announced. Register at boot. Each
 * channel has a breaker of its own: while one is away, its voices and files wait and those of the
 * others do not.
 */
@Injectable()
export class MediaSources {
  private readonly logger = new Logger('Voices');
  private readonly sources = new Map<string, Registered>();

  constructor(private readonly clock: Clock) {}

  /** Once for each channel. Throws VoiceSourceError. */
  register(source: VoiceSource): void {
    if (this.sources.has(source.channel)) {
      throw new VoiceSourceError(`the channel "${source.channel}" hands out audio already`);
    }
    this.sources.set(source.channel, { source, breaker: CLOSED, running: 0 });
  }

  /**
   * For a job, under its lease and never inside a commit. Throws MediaUnavailableError, which
   * makes the job due again, while the channel hands out nothing, and VoiceSourceError where nobody
   * hands out that channel's audio.
   */
  async fetch({ channel, source, maxBytes }: Wanted, flow: JobFlow): Promise<Fetched> {
    assertOutsideCommit('voice source');
    if (source === null) return { kind: 'gone' };
    flow.assertLease();
    const fetched = await this.tryFetch(channel, source, flow.signal);
    flow.signal.throwIfAborted();
    if ('againInMs' in fetched) {
      throw new MediaUnavailableError('the channel does not hand out files now', fetched.againInMs);
    }
    const isTooLarge = fetched.kind === 'audio' && fetched.bytes.length > maxBytes;
    return isTooLarge ? { kind: 'too_large' } : fetched;
  }

  private async tryFetch(
    channel: string,
    reference: string,
    signal: AbortSignal,
  ): Promise<Fetched | { readonly againInMs: number }> {
    const known = this.sources.get(channel);
    if (known === undefined) {
      throw new VoiceSourceError(`nobody hands out the audio of the channel "${channel}"`);
    }
    const againInMs = this.waitMs(known);
    if (againInMs > 0) return { againInMs };
    const wasProbe = known.breaker.state === 'half_open';
    known.breaker = withProbe(known.breaker, true);
    known.running += 1;
    try {
      const fetched = await this.ask(known.source, reference, signal);
      if (fetched.kind !== 'unavailable') {
        this.change(known, afterPeerResponded(known.breaker));
        return fetched;
      }
      // Given up by us: that says nothing about the channel.
      if (!signal.aborted) this.failed(known, wasProbe, fetched.retryAfterMs ?? 0);
      return { againInMs: this.waitMs(known) };
    } finally {
      if (wasProbe) known.breaker = withProbe(known.breaker, false);
      known.running -= 1;
    }
  }

  private async ask(
    source: VoiceSource,
    reference: string,
    signal: AbortSignal,
  ): Promise<FetchedMedia> {
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    const away = (): FetchedMedia => ({ kind: 'unavailable' });
    try {
      return await Promise.race([
        source.fetch(reference, ended),
        this.clock.sleep(LONGEST_MS, ended).then(away),
        aborted(ended).then(away),
      ]);
    } finally {
      over.abort();
    }
  }

  /** 0: it may be asked now. */
  private waitMs(known: Registered): number {
    const nowMs = this.clock.monotonicMs();
    known.breaker = afterTime(known.breaker, nowMs);
    const { breaker, running } = known;
    if (breaker.state === 'open') return breaker.untilMs - nowMs;
    if (breaker.state === 'half_open' && breaker.isProbing) return PROBE_MS;
    return running < AT_A_TIME ? 0 : ROOM_MS;
  }

  private failed(known: Registered, wasProbe: boolean, retryAfterMs: number): void {
    const nowMs = this.clock.monotonicMs();
    const event = { nowMs, retryAfterMs, wasProbe, chance: Math.random() };
    this.change(known, afterPeerFailed(known.breaker, event));
  }

  /** An outage is told when it begins and when it is over. */
  private change(known: Registered, next: Breaker): void {
    const { breaker, source } = known;
    known.breaker = next;
    if (breaker.state === 'closed' && next.state === 'open') {
      this.logger.warn(`${source.channel} hands out no audio; its voices wait`);
    }
    if (breaker.state !== 'closed' && next.state === 'closed') {
      this.logger.log(`${source.channel} hands out audio again`);
    }
  }
}
