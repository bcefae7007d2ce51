import type { Channel } from '../channels';
import type { Settings } from '../common/config';
import type { DebounceLimits } from '../jobs';

/** How long Done waits for messages that were sent before it and arrive after it. */
export const DONE_WINDOW_MS = 1000;

type BufferSettings = Settings['buffer'];

/** With the buffer switched off, one message fills it: it is due at once, as a job like any other. */
export function limitsOf(settings: BufferSettings): DebounceLimits {
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
