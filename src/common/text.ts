/**
 * What PostgreSQL stores neither as text nor in JSON: NUL, and half a surrogate pair. With the flag
 * u, `\p{Surrogate}` matches only halves without their other half.
 */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const EACH_UNSTORABLE = new RegExp(UNSTORABLE, 'gu');

/** Whether the database gives the text back as it is. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** The text with `instead` of each character that cannot be stored. */
export function storable(text: string, instead: '' | ' '): string {
  return text.replace(EACH_UNSTORABLE, instead);
}
