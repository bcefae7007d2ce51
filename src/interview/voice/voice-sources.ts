import { Injectable } from '@nestjs/common';
import type { Channel } from '../../buffer';
import { Clock, aborted } from '../../common/clock';
import { assertOutsideCommit } from '../../common/uow';
import { VoiceSourceError } from './errors';

/** What came of fetching an audio from its channel. */
export type VoiceFetch =
  | {
      readonly kind: 'audio';
      readonly bytes: Buffer;
      readonly mimeType: string;
      readonly fileName: string | null;
    }
  /** The channel does not hand it out. */
  | { readonly kind: 'too_large' }
  /** The channel does not know it any more. */
  | { readonly kind: 'gone' }
  /** The channel as a whole is away: nobody's failure. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs?: number };

/** Where a channel's audio is. */
export interface VoiceSource {
  readonly channel: Channel;
  /**
   * The audio under the reference that `receiveVoice` was given. Never throws for what a peer can
   * do. It settles soon when `signal` aborts, and at the latest a minute after its beginning.
   */
  fetch(reference: string, signal: AbortSignal): Promise<VoiceFetch>;
}

const LONGEST_MS = 60_000;

/** The port through which channels hand out audio that they announced. Register at boot. */
@Injectable()
export class VoiceSources {
  private readonly sources = new Map<string, VoiceSource>();

  constructor(private readonly clock: Clock) {}

  /** Once for each channel. Throws VoiceSourceError. */
  register(source: VoiceSource): void {
    if (this.sources.has(source.channel)) {
      throw new VoiceSourceError(`the channel "${source.channel}" hands out audio already`);
    }
    this.sources.set(source.channel, source);
  }

  /** Never inside a commit. Throws VoiceSourceError where nobody hands out that channel's audio. */
  async fetch(channel: string, reference: string, signal: AbortSignal): Promise<VoiceFetch> {
    assertOutsideCommit('voice source');
    const source = this.sources.get(channel);
    if (source === undefined) {
      throw new VoiceSourceError(`nobody hands out the audio of the channel "${channel}"`);
    }
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    const away = (): VoiceFetch => ({ kind: 'unavailable' });
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
}
