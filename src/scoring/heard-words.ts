import { type FoldedText, folded, wordsBetween } from './look-alikes';

/**
 * What the interviewer said in one conversation, so that a candidate's quote is not taken from it.
 *
 * A run of words in a quote is the interviewer's when they said it before, in the same order, and either
 * it has at least four words, or it is a whole sentence of theirs, or it is the whole quote. Shorter runs
 * ("one of the") are anybody's. A quote holds when enough words are left without these runs: so
 * somebody who restates the question and then answers loses nothing.
 *
 * What a candidate said first stays theirs, although the interviewer repeated it.
 */
export interface SpokenLine {
  readonly id: string;
  readonly seq: number;
  readonly isCandidate: boolean;
  /** A text of the code, such as a notice or a reminder. */
  readonly isNotice?: boolean;
  readonly text: string;
}

/** Words in a row from which on two people hardly say the same by chance. */
const LONG_RUN = 4;
const LEAST_SENTENCE = 2;
const SENTENCE_END = /[.!?…:;\n]+/u;

interface Heard {
  readonly text: FoldedText;
  readonly sentences: ReadonlySet<string>;
  /** Of the line; null: a text of the plan, which was never the candidate's. */
  readonly seq: number | null;
}

interface OwnMessage {
  readonly id: string;
  readonly seq: number;
  readonly text: FoldedText;
}

export class HeardWords {
  private readonly heard: readonly Heard[];
  private readonly own: readonly OwnMessage[];

  /** `asked`: the texts of the plan, in every language. */
  constructor(asked: readonly string[], lines: readonly SpokenLine[] = []) {
    this.heard = [
      ...asked.map((text) => heardOf(text, null)),
      ...lines.filter((line) => !line.isCandidate).map(({ text, seq }) => heardOf(text, seq)),
    ];
    this.own = lines
      .filter(({ isCandidate }) => isCandidate)
      .map(({ id, seq, text }) => ({ id, seq, text: folded(text) }));
  }

  /**
   * How many words of a passage are the candidate's own; null: nothing in it is the interviewer's.
   * A word is what stands between spaces.
   */
  ownWords(passage: string, messageId: string): number | null {
    const said = folded(passage);
    const until = this.own.find(({ id }) => id === messageId)?.seq ?? Infinity;
    const taken = new Set<number>();
    for (const from of said.starts) {
      const to = this.endOfRun(said, from, until);
      for (const start of said.starts) if (start >= from && start < to) taken.add(start);
    }
    if (taken.size === 0) return null;
    const left = said.starts.filter((start) => !taken.has(start));
    return new Set(left.map((start) => said.partAt.get(start))).size;
  }

  /** Where the longest run that begins here ends; `from` itself: none does. */
  private endOfRun(said: FoldedText, from: number, until: number): number {
    let end = from;
    for (const heard of this.heard) {
      if (heard.seq !== null && heard.seq > until) continue;
      for (const at of heard.text.starts) {
        const length = commonLength(said, from, heard.text, at);
        if (length <= end - from) continue;
        if (this.isTheirs(said, { from, length }, heard, at)) end = from + length;
      }
    }
    return end;
  }

  private isTheirs(
    said: FoldedText,
    { from, length }: { readonly from: number; readonly length: number },
    heard: Heard,
    at: number,
  ): boolean {
    const run = said.compact.slice(from, from + length);
    const isWhole = length === said.compact.length;
    const isLong = wordsBetween(heard.text, at, at + length) >= LONG_RUN;
    if (!isLong && !isWhole && !heard.sentences.has(run)) return false;
    const { seq } = heard;
    return seq === null || !this.own.some((one) => one.seq < seq && hasWords(one.text, run));
  }
}

function heardOf(text: string, seq: number | null): Heard {
  const sentences = text
    .split(SENTENCE_END)
    .map(folded)
    .filter(({ starts }) => starts.length >= LEAST_SENTENCE);
  return { text: folded(text), sentences: new Set(sentences.map(({ compact }) => compact)), seq };
}

/** The length of what both texts have in common from these places, up to the end of a word in both. */
function commonLength(one: FoldedText, from: number, other: FoldedText, at: number): number {
  let length = 0;
  let whole = 0;
  while (from + length < one.compact.length && at + length < other.compact.length) {
    if (one.compact[from + length] !== other.compact[at + length]) break;
    length += 1;
    if (one.ends.has(from + length) && other.ends.has(at + length)) whole = length;
  }
  return whole;
}

function hasWords(text: FoldedText, run: string): boolean {
  return text.starts.some(
    (start) => text.compact.startsWith(run, start) && text.ends.has(start + run.length),
  );
}
