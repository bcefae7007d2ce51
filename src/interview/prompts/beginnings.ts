import type { PromptLine } from './interview-request';

/** Words that are shown of a reply's beginning, and how many of them make two beginnings alike. */
const SHOWN_WORDS = 3;
const COMPARED_WORDS = 2;
/** How many earlier replies a new one must not begin like. */
const REPLIES = 2;

/** How the interviewer's last two replies began, oldest first; for `began` in a prompt. */
export function lastBeginnings(
  history: readonly Pick<PromptLine, 'role' | 'text'>[],
): readonly string[] {
  return history
    .filter(({ role, text }) => role === 'interviewer' && text.trim() !== '')
    .slice(-REPLIES)
    .map(({ text }) => text.trim().split(/\s+/).slice(0, SHOWN_WORDS).join(' '));
}

/**
 * Whether a text begins with the same two words as one of these beginnings. Case, punctuation and ё make no
 * difference. "Thank you, noted." begins like "Thank you for telling me."
 */
export function beginsAlike(text: string, beginnings: readonly string[]): boolean {
  const own = firstWords(text);
  return own !== '' && beginnings.some((one) => firstWords(one) === own);
}

function firstWords(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().replace(/ё/g, 'е').match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).slice(0, COMPARED_WORDS).join(' ');
}
