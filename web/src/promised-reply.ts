/** Who replies after the interview and when, in words for the page. */
import type { Language, PromisedReply } from './api/wire';

/** The first word of a full name, as people are called; null for an empty one. */
export function givenName(name: string | null): string | null {
  return name?.trim().split(/\s+/)[0] || null;
}

/** `27 November`, `27 ноября`; null where no day is promised. */
export function promisedDay(reply: PromisedReply, language: Language): string | null {
  if (reply.by === null) return null;
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  return format.format(new Date(`${reply.by}T00:00:00Z`));
}
