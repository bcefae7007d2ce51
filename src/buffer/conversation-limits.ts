import type { Settings } from '../common/config';

/** What a conversation accepts from its candidate in total; the names are those of the statements. */
export interface ConversationLimits {
  readonly limitMessages: number;
  readonly limitChars: number;
  /** Of audio and files. */
  readonly limitAudioBytes: number;
}

export function conversationLimitsOf({ conversationLimits }: Settings): ConversationLimits {
  const { messages, chars, audioBytes } = conversationLimits;
  return { limitMessages: messages, limitChars: chars, limitAudioBytes: audioBytes };
}

/** Whether `$chars` more would cross the limit of the conversation `c`. What gets shorter never does. */
export const CROSSES_CHARS = `$chars::int > 0 and c.sent_chars + $chars > $limitChars::bigint`;

/** The limit (FullOf) that one more message would cross, with `$chars` and `$mediaBytes`; null: none. */
export const CROSSED_LIMIT = `case
        when c.sent_messages >= $limitMessages::int then 'messages'
        when ${CROSSES_CHARS} then 'chars'
        when $mediaBytes::bigint > 0 and c.sent_audio_bytes + $mediaBytes > $limitAudioBytes::bigint
          then 'audio' end`;

/** What a recording or a file counts: 0 when it will not be stored, the most when its size (0) is unknown. */
export function countedBytes(sizeBytes: number, maxBytes: number): number {
  if (sizeBytes > maxBytes) return 0;
  return sizeBytes === 0 ? maxBytes : sizeBytes;
}
