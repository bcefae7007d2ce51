import type { BufferLimits } from './windows';

/** What a claimed buffer looked like. */
export interface ClaimedBuffer {
  readonly count: number;
  readonly weight: number;
  readonly holds: number;
  readonly sealed: boolean;
  readonly firstAt: Date;
  readonly quietAt: Date;
}

/** `quiet` is the usual end of an answer; every other cause forced it. */
export type FlushCause = 'quiet' | 'done' | 'max_size' | 'max_chars' | 'max_wait';

/** Why a buffer was flushed. A limit counts before Done, as in the formula of the due time. */
export function flushCause(buffer: ClaimedBuffer, limits: BufferLimits): FlushCause {
  if (buffer.holds > 0) return 'max_wait';
  if (buffer.count >= limits.maxSize) return 'max_size';
  if (buffer.weight >= limits.maxChars) return 'max_chars';
  const openMs = buffer.quietAt.getTime() - buffer.firstAt.getTime();
  if (openMs > limits.maxWaitMs) return 'max_wait';
  return buffer.sealed ? 'done' : 'quiet';
}
