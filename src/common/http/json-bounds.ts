import { ProblemError } from './problem';

/** Deeper than any message of a chat client; parsing costs more with each level. */
export const MAX_JSON_DEPTH = 64;
/** Arrays, objects and their members; the longest chat history that is taken has fewer. */
export const MAX_JSON_VALUES = 200_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** `[` and `{` differ from each other, and `]` and `}`, in this bit alone. */
const BRACKET_BIT = 0x20;
const OPENING = 0x5b | BRACKET_BIT;
const CLOSING = 0x5d | BRACKET_BIT;

/**
 * Refuses JSON that is nested too deeply or holds too many values, in one pass and before anything
 * of it is parsed. Whether it is JSON at all the parser decides. Throws ProblemError.
 */
export function boundJson(bytes: Uint8Array): void {
  let depth = 0;
  let values = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === COMMA) values += 1;
    else if ((byte | BRACKET_BIT) === OPENING) {
      depth += 1;
      values += 1;
      if (depth > MAX_JSON_DEPTH) {
        throw new ProblemError(400, 'json_too_deep', 'The JSON is nested too deeply.');
      }
    } else if ((byte | BRACKET_BIT) === CLOSING) depth -= 1;
    if (values > MAX_JSON_VALUES) {
      throw new ProblemError(413, 'body_too_large', 'The JSON holds too many values.');
    }
  }
}
