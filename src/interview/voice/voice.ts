import type { ChannelName } from '../../channels';

/**
 * A candidate's voice message: one row of the table `voice` beside its message.
 *
 *   announced ──fetched──> kept ──transcribed──> heard
 *       │                    └──no transcript──> unheard
 *       └──cannot be fetched─────────────────────^
 *
 *   announced  the channel holds the audio under `source`; nothing of it is here yet.
 *   kept       the audio is here, for every replica; the transcript is still to come.
 *   heard      `transcript` is what the model heard. The message's text was the same at first; the
 *              candidate may have corrected it since.
 *   unheard    there will be no transcript, `problem` says why. The candidate was asked for text,
 *              the message is out of every answer, a person may listen to what is kept.
 *
 * VoiceService makes it announced or kept; everything else is the flow of the queue `transcribe`.
 * While it is announced or kept its message is empty and holds its buffer open.
 */
export type VoiceState = 'announced' | 'kept' | 'heard' | 'unheard';

/**
 * Why there is no transcript.
 *
 *   no_endpoint  no model for audio is configured
 *   too_large    more than is taken
 *   gone         its channel does not have it any more
 *   refused      the server does not take this audio
 *   empty        nothing was said in it
 *   failed       every try ended without a transcript
 *   no_consent   it was not sent under the consent in force
 *   withdrawn    its candidate has ended the interview
 */
export type VoiceProblem =
  | 'no_endpoint'
  | 'too_large'
  | 'gone'
  | 'refused'
  | 'empty'
  | 'failed'
  | 'no_consent'
  | 'withdrawn';

export type VoiceEnd =
  | { readonly kind: 'heard'; readonly transcript: string }
  | { readonly kind: 'unheard'; readonly problem: VoiceProblem };

/** The longest audio that is taken: what Telegram hands out, and below what servers take. */
export const MAX_VOICE_BYTES = 20 * 1024 * 1024;

/** What a channel has of a voice: all of it, or the name under which it will give it. */
type GivenAudio =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly mimeType: string }
  | {
      readonly kind: 'reference';
      readonly reference: string;
      readonly mimeType: string;
      readonly sizeBytes: number;
    };

export interface NewVoice {
  readonly conversationId: string;
  readonly channel: ChannelName;
  /** The channel's own id of the message. */
  readonly externalId: string;
  readonly audio: GivenAudio;
  /** Seconds, if the channel knows. */
  readonly durationS: number | null;
}

/** Without its audio. */
export interface VoiceRow {
  readonly messageId: string;
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly receivedAt: Date;
  readonly state: VoiceState;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly durationS: number | null;
  readonly sizeBytes: number;
  readonly source: string | null;
  /** Whether its audio is here. */
  readonly hasAudio: boolean;
  readonly transcript: string | null;
  readonly problem: VoiceProblem | null;
}

export function isWaiting({ state }: VoiceRow): boolean {
  return state === 'announced' || state === 'kept';
}
