/**
 * Cuts a text into sentences while it arrives. A sentence keeps the white space before it, so that the
 * sentences joined are the text. It is whole when the next one begins. How the text is cut into pieces
 * makes no difference.
 */
export class SentenceReader {
  private held = '';
  /** No sentence begins before this place of `held`. */
  private at = 0;

  push(piece: string): string[] {
    this.held += piece;
    const whole: string[] = [];
    for (; this.at < this.held.length; this.at += 1) {
      const end = endBefore(this.held, this.at);
      if (end === null) continue;
      whole.push(this.held.slice(0, end));
      this.held = this.held.slice(end);
      this.at -= end;
    }
    return whole;
  }

  /** Nothing follows: the last sentence. */
  end(): string[] {
    const rest = this.held;
    this.held = '';
    this.at = 0;
    return rest.trim() === '' ? [] : [rest];
  }
}

export function sentencesOf(text: string): string[] {
  const reader = new SentenceReader();
  return [...reader.push(text), ...reader.end()];
}

/** Whether the sentence asks; quotes and brackets may follow its mark. */
export function isQuestion(sentence: string): boolean {
  const end = sentence.trimEnd();
  const marks = end.slice(endOfMarks(end, end.length));
  return marks.includes('?');
}

const SPACE = /\s/u;
const CLOSING = /["'»”’)\]]/u;
const MARK = /[.!?…]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Where the sentence before `at` ends; null if none ends there, which needs only the text up to `at`. */
function endBefore(text: string, at: number): number | null {
  if (isSpace(text, at) || !isSpace(text, at - 1)) return null;
  let end = at;
  let hasNewLine = false;
  while (isSpace(text, end - 1)) {
    end -= 1;
    hasNewLine ||= text[end] === '\n';
  }
  if (end === 0) return null;
  if (hasNewLine) return end;
  const word = endOfMarks(text, end);
  const marks = text.slice(word, end);
  const isEnd = MARK.test(marks) && !/\p{Ll}/u.test(text[at] ?? '');
  return isEnd && !(isPoint(marks) && isAbbreviated(text, word)) ? end : null;
}

function isSpace(text: string, at: number): boolean {
  return SPACE.test(text[at] ?? '');
}

/** Where the closing marks before `end` begin. */
function endOfMarks(text: string, end: number): number {
  let begin = end;
  while (begin > 0 && (CLOSING.test(text[begin - 1] ?? '') || MARK.test(text[begin - 1] ?? ''))) {
    begin -= 1;
  }
  return begin;
}

function isPoint(marks: string): boolean {
  return marks.startsWith('.') && !/[!?…]|\.\./u.test(marks);
}

const ABBREVIATED = new Set(
  (
    'mr mrs ms dr prof st vs etc approx inc ltd no fig eg ie e.g i.e a.m p.m u.s u.k т.е т.д т.п ' +
    'г ул д им руб тыс млн млрд стр рис см напр др пр гг'
  ).split(' '),
);
const LONGEST_ABBREVIATION = 6;

/** The word that ends before `end` is an abbreviation, an initial, or the number of a list's item. */
function isAbbreviated(text: string, end: number): boolean {
  let begin = end;
  while (begin > 0 && end - begin <= LONGEST_ABBREVIATION && !isSpace(text, begin - 1)) begin -= 1;
  const word = text.slice(begin, end).toLowerCase();
  if (ABBREVIATED.has(word) || /^\p{L}$/u.test(word)) return true;
  return /^\d+$/.test(word) && !LETTER_OR_DIGIT.test(text.slice(0, begin));
}
