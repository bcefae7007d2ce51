import type { Channel } from '../channels';
import type { Settings } from '../common/config';

/** What forces a buffer, whatever its candidate still does. */
export interface BufferLimits {
  readonly maxWaitMs: number;
  readonly maxSize: number;
  readonly maxChars: number;
}

/** How long Done still waits for what was sent before it and arrives after it. */
export const DONE_WINDOW_MS = 1000;

type BufferSettings = Settings['buffer'];

/** Switched off, the first message fills a buffer: it is due at once, on the same durable path. */
export function limitsOf(settings: BufferSettings): BufferLimits {
  const { maxWaitMs, maxChars } = settings;
  return { maxWaitMs, maxSize: settings.enabled ? settings.maxSize : 1, maxChars };
}

/** Quiet time after a message. */
export function messageWindowMs(settings: BufferSettings, channel: Channel): number {
  return settings.enabled ? channel.quietMs(settings) : 0;
}

/** Quiet time after typing, recording or an edit. */
export function activityWindowMs(settings: BufferSettings): number {
  return settings.enabled ? settings.typingDebounceMs : 0;
}
