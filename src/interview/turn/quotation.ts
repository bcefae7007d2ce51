import type { PromptPassage } from '../prompts/interview-request';
import { clauseOf } from './clauses';
import { sentencesOf } from './sentences';

/** What the documents say to a question, word for word. */
export interface Quotation {
  /** The heading above it, or the document. */
  readonly title: string;
  readonly words: string;
}

/**
 * From the first passage that has every word of the question which carries meaning, in any form; a question of one
 * such word needs it in a heading. Null: no passage covers the question. Words are all that code can compare, so
 * it would rather leave a question to a person than quote what answers another one.
 */
export function quotationOf(
  question: string,
  passages: readonly PromptPassage[],
): Quotation | null {
  const asked = [...clauseOf(question).stems];
  const has = (text: string): boolean => {
    const { stems } = clauseOf(text);
    return asked.length > 0 && asked.every((stem) => stems.has(stem));
  };
  const found = passages.find(({ headings, text }) =>
    has(asked.length > 1 ? [...headings, text].join('\n') : headings.join('\n')),
  );
  if (found === undefined) return null;
  const words = quotedOf(found.text, asked);
  return { title: found.headings.at(-1) ?? found.document, words };
}

/** Longest quotation, in UTF-16 units. */
const LONGEST = 600;

/** The whole text, or what begins with the sentence that has most of the words. */
function quotedOf(text: string, asked: readonly string[]): string {
  const whole = text.trim();
  if (whole.length <= LONGEST) return whole;
  const sentences = sentencesOf(whole);
  const counts = sentences.map((one) => {
    const { stems } = clauseOf(one);
    return asked.filter((stem) => stems.has(stem)).length;
  });
  const rest = sentences.slice(counts.indexOf(Math.max(...counts)));
  const fitting = rest.findIndex((_, at) => rest.slice(0, at + 1).join('').length > LONGEST);
  const quoted = (fitting < 0 ? rest : rest.slice(0, Math.max(1, fitting))).join('').trim();
  return quoted.length <= LONGEST ? quoted : `${quoted.slice(0, LONGEST).replace(/\s+\S*$/u, '')}…`;
}
