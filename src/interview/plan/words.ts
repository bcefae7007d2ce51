/** How a candidate's text is compared with fixed phrases. */

/** Case, punctuation, invisible characters, marks of stress, the form of an apostrophe and ё make no difference. */
export function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\u0301]/gu, '')
    .toLowerCase()
    .replace(/[’‘ʼ`]/g, "'")
    .replace(/ё/g, 'е')
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

/** The sentences of a text, each as `normalised` has it. */
export function sentencesIn(text: string): string[] {
  return text
    .split(/[.!?…\n]+/u)
    .map(normalised)
    .filter((sentence) => sentence !== '');
}

/** Longest text that is searched for phrases, so that long answers are not. */
const LONGEST_PHRASE = 120;

/** Whether a whole normalised text consists of these forms, at least one, and fillers. */
export function phrasesOf(
  forms: readonly string[],
  fillers: string,
): { test(plain: string): boolean } {
  const form = `(?:${forms.join('|')})`;
  const whole = new RegExp(`^(?:(?:${fillers}) )*${form}(?: (?:${fillers}|${form}))*$`, 'u');
  return { test: (plain) => plain.length <= LONGEST_PHRASE && whole.test(plain) };
}
