/**
 * How an output begins, which decides how it is read: `json` from the brace on, `plain` text, or
 * `undecided` while it may still be either. White space, a code fence and a model's thinking in
 * `<think>` tags may come before a JSON object; thinking is not shown before plain text either.
 */
export type Opening =
  | { readonly kind: 'undecided' }
  | { readonly kind: 'json'; readonly rest: string }
  | { readonly kind: 'plain'; readonly rest: string };

const BLANK = /^[\s\uFEFF]+/;
const THINK = '<think>';
const THOUGHT = /^<think>[\s\S]*?<\/think>/;
const FENCE = /^```[a-z]*\s*/i;
/** A brace, then a key or the end: `{smile} hello` is plain text. */
const OBJECT = /^\{\s*["}]/;
const MAY_BECOME_OBJECT = /^(\{\s*|`{1,2}|```[a-z]*\s*(\{\s*)?)?$/i;

/** `isEnd`: nothing follows any more, so the answer is not `undecided`. */
export function readOpening(output: string, isEnd: boolean): Opening {
  const start = output.replace(BLANK, '');
  const thought = THOUGHT.exec(start)?.[0];
  if (thought !== undefined) return readOpening(start.slice(thought.length), isEnd);
  if (start.startsWith(THINK)) return isEnd ? { kind: 'plain', rest: '' } : { kind: 'undecided' };
  const unfenced = start.replace(FENCE, '');
  if (OBJECT.test(unfenced)) return { kind: 'json', rest: unfenced };
  const isOpen = MAY_BECOME_OBJECT.test(start) || THINK.startsWith(start);
  return isOpen && !isEnd ? { kind: 'undecided' } : { kind: 'plain', rest: start };
}
