import type { PromptLine } from './interview-request';

/** How many earlier replies a new one must not begin like. */
const REPLIES = 2;
const COMPARED_WORDS = 2;

/**
 * Whether a reply begins with the same two words as one of the interviewer's last two. Case, punctuation and
 * ё make no difference: "Thank you, noted." begins like "Thank you for telling me."
 */
export function repeatsBeginning(
  text: string,
  history: readonly Pick<PromptLine, 'role' | 'text'>[],
): boolean {
  const own = firstWords(text);
  const before = history.filter((line) => line.role === 'interviewer' && line.text.trim() !== '');
  return own !== '' && before.slice(-REPLIES).some((line) => firstWords(line.text) === own);
}

function firstWords(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().replace(/ё/g, 'е').match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).slice(0, COMPARED_WORDS).join(' ');
}
