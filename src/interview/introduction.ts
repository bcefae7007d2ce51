import { storable } from '../common/text';

/** What a channel knows of its people. */
export interface Introduction {
  readonly name?: string;
  readonly contact?: string;
  readonly telegramUsername?: string;
}

/** As long as the page lets people write them. */
const MAX_NAME = 120;
const MAX_CONTACT = 200;

/** What of it can be kept in a profile; what says nothing is left out. */
export function introduced({ name, contact, telegramUsername }: Introduction): Introduction {
  return {
    ...field('name', name, MAX_NAME),
    ...field('contact', contact, MAX_CONTACT),
    ...field('telegramUsername', telegramUsername?.replace(/^@/, '').toLowerCase(), MAX_NAME),
  };
}

/** Cut between characters: a name on an account may be anything. */
function field<F extends string>(
  key: F,
  value: string | undefined,
  max: number,
): Partial<Record<F, string>> {
  const text = Array.from(storable(value ?? '', ' ').trim())
    .slice(0, max)
    .join('')
    .trim();
  return text === '' ? {} : ({ [key]: text } as Record<F, string>);
}
