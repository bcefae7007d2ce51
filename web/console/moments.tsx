/** Moments in the page's language: how long ago, with the exact time for whoever points at it. */
import { useSyncExternalStore } from 'react';
import { useLanguage } from './language';
import type { Language } from '../src/api/wire';

const STEPS = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const;
const JUST_NOW = { en: 'just now', ru: 'только что' };
/** What is older is a date. */
const OLDEST_S = 7 * 86_400;

/** `2 hours ago`, `just now`, `14 Nov`; with the year when it is another one. */
export function agoOf(at: Date, now: Date, language: Language): string {
  const seconds = Math.max(0, (now.getTime() - at.getTime()) / 1000);
  if (seconds >= OLDEST_S) return dateOf(at, now, language);
  if (seconds < 60) return JUST_NOW[language];
  const [unit, size] = STEPS.findLast(([, length]) => seconds >= length) ?? STEPS[0];
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return format.format(-Math.floor(seconds / size), unit);
}

function dateOf(at: Date, now: Date, language: Language): string {
  const isThisYear = at.getFullYear() === now.getFullYear();
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
  return format.format(at);
}

/** `14 Nov 2026, 10:04` */
export function momentOf(at: Date, language: Language): string {
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return format.format(at);
}

/** The time, as all moments on the page know it: it moves on twice a minute while one of them is shown. */
let now = Date.now();
let timer: number | undefined;
const listeners = new Set<() => void>();
const STEP_MS = 30_000;

function followTime(listener: () => void): () => void {
  if (listeners.size === 0) timer = window.setInterval(moveOn, STEP_MS);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

function moveOn(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function timeOfPage(): number {
  // Nothing has moved it on while no moment was shown.
  if (listeners.size === 0 && Date.now() - now > STEP_MS) now = Date.now();
  return now;
}

/** In milliseconds; the component is shown anew when it moves on. */
export function useTimeOfPage(): number {
  return useSyncExternalStore(followTime, timeOfPage);
}

export function Ago({ at }: { at: string }) {
  const { language } = useLanguage();
  const time = useTimeOfPage();
  const moment = new Date(at);
  return (
    <time dateTime={at} title={momentOf(moment, language)}>
      {agoOf(moment, new Date(time), language)}
    </time>
  );
}

/** `12 minutes`, `3 hours`, `2 days`; at least a minute. */
export function durationOf(ms: number, language: Language): string {
  const seconds = Math.max(60, ms / 1000);
  const [unit, size] = STEPS.findLast(([, length]) => seconds >= length) ?? STEPS[0];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.floor(seconds / size));
}

export function Moment({ at }: { at: string }) {
  const { language } = useLanguage();
  return <time dateTime={at}>{momentOf(new Date(at), language)}</time>;
}
