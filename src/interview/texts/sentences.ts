/** Sentences as one paragraph; those that do not hold are left out. */
export function inOneLine(...sentences: readonly (string | false)[]): string {
  return sentences.filter((sentence) => sentence !== false).join(' ');
}
