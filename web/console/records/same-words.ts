/** Whether somebody has typed these words. They need not match capitals and spaces. */
export function sameWords(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
