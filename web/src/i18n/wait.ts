import type { Language } from '../api/wire';

/** `1 minute`, `30 seconds`; in Russian shortened, because `через` changes the whole words. */
export function waitOf(seconds: number, language: Language): string {
  const isLong = seconds >= 60;
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: isLong ? 'minute' : 'second',
    unitDisplay: language === 'en' ? 'long' : 'short',
  });
  return format.format(isLong ? Math.ceil(seconds / 60) : seconds);
}
