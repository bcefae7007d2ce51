import { storable } from '../common/text';

/** What a channel knows of a person, as it stands on their account. */
export interface Introduction {
  readonly name?: string;
  readonly contact?: string;
  readonly telegramUsername?: string;
}

/** As long as the page lets people write them. */
const MAX_NAME = 120;
const MAX_CONTACT = 200;

/** As it may be stored: what says nothing is left out, a user name is without its @, in lower case. */
export function introduced({ name, contact, telegramUsername }: Introduction): Introduction {
  return {
    ...field('name', name, MAX_NAME),
    ...field('contact', contact, MAX_CONTACT),
    ...field('telegramUsername', telegramUsername?.replace(/^@/, '').toLowerCase(), MAX_NAME),
  };
}

/** Cut between characters: a name on an account may be anything. */
function field(key: keyof Introduction, value: string | undefined, max: number): Introduction {
  const text = Array.from(storable(value ?? '', ' ').trim())
    .slice(0, max)
    .join('')
    .trim();
  return text === '' ? {} : { [key]: text };
}

/** What a candidate must still say before the first question. */
export type ProfileField = 'name' | 'contact';

export function missingOf(
  known: { readonly name: string | null; readonly contact: string | null } | null,
): ProfileField[] {
  const missing: ProfileField[] = [];
  if (known?.name == null) missing.push('name');
  if (known?.contact == null) missing.push('contact');
  return missing;
}
