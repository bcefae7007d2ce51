/** Whether a text looks like a way to reach a person. Lenient: what does not may still be one. */

const ADDRESS = /\S@\S+\.\S/;
/** Of Telegram or another messenger, also as a link. */
const NAME = /(^|[\s(,;])@\w{2,}|\b(t\.me|wa\.me|vk\.com|linkedin\.com)\//i;
/** The shortest phone numbers have five digits. */
const FEWEST_DIGITS = 5;

export function looksLikeContact(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0;
  const isPhone = digits >= FEWEST_DIGITS && /^[\d\s+()./‐-–-]+$/.test(phoneIn(text));
  return ADDRESS.test(text) || NAME.test(text) || isPhone;
}

/** The part from the first digit or plus to the last digit: words may stand beside a number. */
function phoneIn(text: string): string {
  return /[+(\d].*\d/.exec(text)?.[0] ?? '';
}
