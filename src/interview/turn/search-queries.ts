import { z } from 'zod';
import { storable } from '../../common/text';
import type { ModelChunk } from '../../llm';

export type SearchCall = Extract<ModelChunk, { type: 'call' }>;

/** Of one answer of the model. */
const MAX_QUERIES = 2;
/** UTF-16 units. */
const MAX_LENGTH = 2000;

const searchInput = z.object({ query: z.string() });

/** What the model's calls ask for; a call that says nothing asks for what the candidate said. */
export function queriesOf(calls: readonly SearchCall[], answer: string): string[] {
  const queries = calls.slice(0, MAX_QUERIES).map(({ input }) => {
    const query = searchInput.safeParse(input).data?.query ?? '';
    return queryOf(query.trim() === '' ? answer : query);
  });
  return [...new Set(queries)];
}

/** Bounded, and as the transcript can store it. */
export function queryOf(text: string): string {
  return storable(text.slice(0, MAX_LENGTH), ' ').trim();
}
