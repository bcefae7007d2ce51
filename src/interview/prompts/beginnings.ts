import type { PromptLine } from './interview-request';

const COMPARED_WORDS = 2;

/**
 * Whether the interviewer's last two lines begin with the same two words. Case, punctuation and ё make no
 * difference: "Thank you, noted." begins like "thank you: two hours."
 */
export function beginsAlike(history: readonly Pick<PromptLine, 'role' | 'text'>[]): boolean {
  const own = history.filter(({ role, text }) => role === 'interviewer' && text.trim() !== '');
  const [before, last] = own.slice(-2).map(({ text }) => firstWords(text));
  return last !== undefined && last !== '' && last === before;
}

function firstWords(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/ё/g, 'е')
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).slice(0, COMPARED_WORDS).join(' ');
}
