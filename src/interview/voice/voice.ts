import type { ChannelName } from '../../channels';

/**
 * A candidate's voice message: one row of the table `voice` for its message.
 *
 *   announced ──fetched──> kept ──transcribed──> heard
 *       │                    └──no transcript──> unheard
 *       └──cannot be fetched─────────────────────^
 *
 *   announced  the channel holds the audio under `source`; nothing of it is stored yet.
 *   kept       the audio is stored; the transcript is still to come.
 *   heard      `transcript` is the model's. The message's text was the same at first; the candidate
 *              may have corrected it since.
 *   unheard    there will be no transcript, `problem` says why. The candidate was asked for text,
 *              the message belongs to no answer, and a person may listen to the audio.
 *
 * VoiceService makes it announced or kept, VoiceWorker everything else.
 * While it is announced or kept its message is empty and holds its buffer open.
 */
export type VoiceState = 'announced' | 'kept' | 'heard' | 'unheard';

/**
 * Why there is no transcript.
 *
 *   no_endpoint  no model for audio is configured
 *   too_large    more bytes than are taken
 *   gone         its channel no longer has it
 *   refused      the server does not take this audio
 *   empty        it has no speech
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

/** The largest audio that is taken: as much as Telegram provides, less than servers take. */
export const MAX_VOICE_BYTES = 20 * 1024 * 1024;

/** The audio's bytes, or the reference by which its channel hands them out. */
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
  /** Whether its audio is stored. */
  readonly hasAudio: boolean;
  readonly transcript: string | null;
  readonly problem: VoiceProblem | null;
}

export function isWaiting({ state }: VoiceRow): boolean {
  return state === 'announced' || state === 'kept';
}
