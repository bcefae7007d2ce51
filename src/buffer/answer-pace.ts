import type { Channel } from '../channels';
import type { Settings } from '../common/config';
import type { DebounceLimits } from '../jobs';

type BufferSettings = Settings['buffer'];

/** How the quiet time after a message is found, and when an answer counts as long. */
export interface Pace {
  /** Null: the quiet time is the fixed setting. */
  readonly learning: {
    /** Messages that have to be known before the learned quiet time is used. */
    readonly enough: number;
    readonly floorMs: number;
    readonly ceilingMs: number;
  } | null;
  /** Characters that make an answer long; 0: its length never does. */
  readonly longChars: number;
  /** Time that makes an answer long; 0: its time never does. */
  readonly longMs: number;
}

/** Without the buffer nothing waits, so nothing is learned and no answer becomes long. */
export function paceOf({ enabled, isLearning }: BufferSettings): Pace {
  if (!enabled) return { learning: null, longChars: 0, longMs: 0 };
  const { chars: longChars, ms: longMs } = LONG_ANSWER;
  return { learning: isLearning ? { ...LEARNED } : null, longChars, longMs };
}

/**
 * Three pauses are the fewest whose spread says something (ADR 38). Below 2 s a pause for thought would end
 * an answer; after 30 s a candidate believes that nobody reads.
 */
export const LEARNED: NonNullable<Pace['learning']> = {
  enough: 3,
  floorMs: 2000,
  ceilingMs: 30_000,
};

/** A page of text, or a minute of writing: then people ask themselves whether anybody reads along. */
export const LONG_ANSWER = { chars: 1500, ms: 60_000 };

/** How long Done waits for messages that were sent before it and arrive after it. */
export const DONE_WINDOW_MS = 1000;

/** The same when the sender names the last message, so that nothing is missing. */
export const COMPLETE_DONE_WINDOW_MS = 200;

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

/** What the end of a message says about whether its answer goes on. */
export type AnswerEnd = 'complete' | 'unfinished' | 'unclear';

/**
 * By how much the odds are multiplied that another message follows (answer_pace.sql). Tuned with
 * bench/quiet-time on seeds that its result does not use.
 */
const END_ODDS: Readonly<Record<AnswerEnd, number>> = {
  complete: 0.18,
  unclear: 1,
  unfinished: 9,
};

/** Words after which a sentence goes on, in English and Russian. */
const CONNECTING = new Set(
  (
    'and or but because so that which when where while if than also with for to of the a an as plus ' +
    'и или а но да потому что чтобы который которая которое которые когда где если также ' +
    'например как с со в во на для по из к о об поэтому ещё еще плюс либо'
  ).split(' '),
);

/** In UTF-16 units. */
const END_LENGTH = 200;

/** Quotation marks, white space and invisible characters behind the last sign. */
const AFTER_THE_END = /[\s"'»”’“`*_\p{Cf}]+$/u;
const COMPLETE = /[.!?)\]}]$/u;
const UNFINISHED = /(?:[,;:({[–—-]|\.{2,}|…)$/u;
const LAST_WORD = /(\p{L}+)$/u;

/** Pure. A voice message, whose text is still empty, is unclear. */
export function answerEnd(text: string): AnswerEnd {
  // The end of a very long text is enough, and keeps the search short.
  const end = text.slice(-END_LENGTH).replace(AFTER_THE_END, '');
  if (UNFINISHED.test(end) || end.lastIndexOf('(') > end.lastIndexOf(')')) return 'unfinished';
  if (COMPLETE.test(end)) return 'complete';
  const lastWord = LAST_WORD.exec(end)?.[1]?.toLowerCase();
  return lastWord !== undefined && CONNECTING.has(lastWord) ? 'unfinished' : 'unclear';
}

/**
 * The order in which conversation.quiet_ms keeps their quiet times; an append finds the one of a
 * message by whether its factor of the odds is below, at or above 1.
 */
export const ODDS_IN_ORDER: readonly number[] = [
  END_ODDS.complete,
  END_ODDS.unclear,
  END_ODDS.unfinished,
];

/** A factor of the odds that another message follows; without learning it has no effect. */
export function oddsOf(end: AnswerEnd): number {
  return END_ODDS[end];
}
