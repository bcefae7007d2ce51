import { createHash } from 'node:crypto';
import { CRITERION_PROMPT } from './criterion';
import { FACT_PROMPT } from './fact';

export const PROMPTS = { criterion: CRITERION_PROMPT, fact: FACT_PROMPT } as const;

export type Prompt = (typeof PROMPTS)[keyof typeof PROMPTS];

/** SHA-256 of the prompt's text, as hex. */
export function promptHash({ text }: Prompt): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
