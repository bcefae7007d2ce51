import { CST, Lexer } from 'yaml';

/** The largest vacancy that the schema takes has about 20,000. */
const MAX_TOKENS = 30_000;
/** Collections in each other, and marks of them in one line. A vacancy has 8. */
const MAX_DEPTH = 50;
const MAX_INDENT = 100;

/** Beyond what a vacancy needs. `offset`: where in the source, in UTF-16 units. */
interface Excess {
  readonly offset: number;
  readonly reason: string;
}

/**
 * What of a YAML source is beyond the bounds, before it is parsed; null: nothing is. The stack and the time that the
 * parser takes have no bounds of their own; the lexer needs little of both, and stops here at the first excess.
 */
export function yamlExcess(source: string): Excess | null {
  let tokens = 0;
  let offset = 0;
  /** Brackets that are open, and marks of block collections in this line. */
  let depth = 0;
  let marks = 0;
  let isLineStart = true;
  let isText = false;
  for (const token of new Lexer().lex(source)) {
    tokens += 1;
    if (tokens > MAX_TOKENS) return { offset, reason: 'the file has too many parts' };
    // Whatever follows the sign of a scalar is its text.
    const type = isText ? 'scalar' : CST.tokenType(token);
    const isIndent = isLineStart && depth === 0 && type === 'space';
    depth = depthAfter(type, depth);
    if (isLineStart) marks = 0;
    if (depth === 0 && isMark(type)) marks += 1;
    if (depth > MAX_DEPTH || marks > MAX_DEPTH || (isIndent && token.length > MAX_INDENT)) {
      return { offset, reason: 'the file is nested too deeply' };
    }
    isText = !isText && token === CST.SCALAR;
    if (isSign(token)) continue;
    offset += token.length;
    isLineStart = token.endsWith('\n');
  }
  return null;
}

function depthAfter(type: CST.TokenType | null, depth: number): number {
  if (type === 'flow-map-start' || type === 'flow-seq-start') return depth + 1;
  if (type === 'flow-map-end' || type === 'flow-seq-end') return Math.max(0, depth - 1);
  return type === 'flow-error-end' ? 0 : depth;
}

function isMark(type: CST.TokenType | null): boolean {
  return type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind';
}

const SIGNS: readonly string[] = [CST.DOCUMENT, CST.FLOW_END, CST.SCALAR];

/** The lexer tells the parser some things by tokens of one control character, which stand for no text. */
function isSign(token: string): boolean {
  return SIGNS.includes(token);
}
