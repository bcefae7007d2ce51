import type { Language } from '../../vacancies';

/** A day, `YYYY-MM-DD`, as people write it: 3 December, 3 декабря. */
export function dayInWords(day: string, language: Language): string {
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  return format.format(new Date(`${day}T00:00:00Z`));
}

const LOCALES: Readonly<Record<Language, string>> = { ru: 'ru', en: 'en-GB' };
