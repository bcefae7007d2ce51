/** The text that goes with a link, in either language. A person sends it, and may change it before. */
import type { Language } from '../../src/api/wire';

export interface Invited {
  readonly name: string | null;
  readonly title: string;
  readonly company: string;
  readonly minutes: number;
  readonly web: string;
  readonly telegram: string | null;
  /** ISO 8601. */
  readonly validUntil: string;
}

export function messageOf(invited: Invited, language: Language): string {
  return (language === 'ru' ? russian(invited) : english(invited)).join('\n');
}

function english({ name, title, company, minutes, web, telegram, validUntil }: Invited): string[] {
  return [
    name === null ? 'Hello,' : `Hello ${name},`,
    '',
    `${company} invites you to an interview in writing for “${title}”. It takes about ${String(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}; you may pause and go on later.`,
    '',
    `Open this link: ${web}`,
    ...(telegram === null ? [] : [`Or in Telegram: ${telegram}`]),
    '',
    `The link is yours alone, so please do not pass it on. It is valid until ${dayOf(validUntil, 'en')}.`,
  ];
}

function russian({ name, title, company, minutes, web, telegram, validUntil }: Invited): string[] {
  return [
    name === null ? 'Здравствуйте!' : `Здравствуйте, ${name}!`,
    '',
    `${company} приглашает вас на интервью в переписке: «${title}». Оно займёт около ${String(minutes)} ${minutes % 10 === 1 && minutes % 100 !== 11 ? 'минуты' : 'минут'}; можно прерваться и продолжить позже.`,
    '',
    `Откройте ссылку: ${web}`,
    ...(telegram === null ? [] : [`Или в Telegram: ${telegram}`]),
    '',
    `Ссылка только для вас, пожалуйста, никому её не передавайте. Она действует до ${dayOf(validUntil, 'ru')}.`,
  ];
}

/** With the time: an invitation ends in the middle of a day. */
export function dayOf(at: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : 'ru', {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  return format.format(new Date(at));
}
