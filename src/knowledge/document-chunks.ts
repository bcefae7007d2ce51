/** A passage before it is stored, small enough for a prompt with several passages. */
export interface Chunk {
  readonly headings: readonly string[];
  /** 1 to MAX_CHUNK UTF-16 units, without white space at its ends. */
  readonly text: string;
}

/**
 * Cuts a document into passages: never across a heading, at paragraphs if they fit, else at the
 * ends of sentences, else between words; a word that alone is too long is cut between code points.
 * Passages do not overlap: their texts in order, with the headings, are the whole document.
 */
export function chunksOf(source: string, format: DocumentFormat, max = MAX_CHUNK): Chunk[] {
  return sectionsOf(source, format).flatMap(({ headings, body }) =>
    piecesOf(body.trim(), max).map((text) => ({ headings, text })),
  );
}

/** About 200 words: a section of an ordinary document stays whole. */
export const MAX_CHUNK = 1200;

export type DocumentFormat = 'markdown' | 'text';

/** The text under one heading, without the sections below it. */
export interface Section {
  /** From the outermost heading to this one; empty before the first. */
  readonly headings: readonly string[];
  readonly body: string;
}

/**
 * Splits a document at its headings, in order. Plain text has none; in Markdown they are lines that
 * begin with `#` outside of a fence. A heading without text below it becomes a text itself, so that
 * no part of a document is lost.
 */
export function sectionsOf(source: string, format: DocumentFormat): Section[] {
  if (format === 'text') return [{ headings: [], body: source }];
  const sections: Section[] = [];
  let path: readonly OpenSection[] = [];
  let lines: string[] = [];
  const end = (nextLevel: number): void => {
    const body = lines.join('\n');
    const last = path.at(-1);
    const isLeaf = last !== undefined && nextLevel <= last.level;
    const headings = path.map(({ title }) => title);
    if (body.trim() !== '') sections.push({ headings, body });
    else if (isLeaf) sections.push({ headings, body: last.title });
    lines = [];
  };
  for (const { line, isFenced } of linesOf(source)) {
    const heading = isFenced ? null : headingOf(line);
    if (heading === null) {
      lines.push(line);
      continue;
    }
    end(heading.level);
    path = [...path.filter(({ level }) => level < heading.level), heading];
  }
  end(0);
  return sections;
}

interface OpenSection {
  readonly level: number;
  readonly title: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** A fence ends at the same mark, at least as long, or at the end of the document. */
function* linesOf(source: string): Generator<{ line: string; isFenced: boolean }> {
  let fence = '';
  for (const line of source.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    const isFenced = fence !== '' || mark !== '';
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    yield { line, isFenced };
  }
}

/** A longer line is text, also when it begins like a heading. */
const MAX_HEADING = 160;
const HEADING_MARK = /^ {0,3}(#{1,6})[ \t]/;

function headingOf(line: string): OpenSection | null {
  const [mark = '', marks] = HEADING_MARK.exec(line) ?? [];
  if (marks === undefined) return null;
  const title = withoutClosing(line.slice(mark.length).trim());
  return title === '' || title.length > MAX_HEADING ? null : { level: marks.length, title };
}

/** `## Title ##`: the marks at the end belong to the heading, not to its title. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  const isClosing = title[end - 1] === ' ' || title[end - 1] === '\t';
  return isClosing ? title.slice(0, end).trimEnd() : title;
}

function piecesOf(body: string, max: number): string[] {
  const pieces: string[] = [];
  let rest = body;
  while (rest.length > max) {
    const at = cutOf(rest, max);
    pieces.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return rest === '' ? pieces : [...pieces, rest];
}

const PARAGRAPH_END = /\n[ \t]*(?=\n)/g;
const SENTENCE_END = /[.!?…]["»”’)\]]*\s|\n/g;
const SPACE = /\s/g;

/** Where to cut a text that is too long: at the best kind of end that is not too early. */
function cutOf(text: string, max: number): number {
  // One more unit, to see the white space after an end that fits exactly.
  const head = text.slice(0, max + 1);
  const paragraph = lastEnd(head, PARAGRAPH_END);
  if (paragraph >= max / 4) return paragraph;
  const sentence = lastEnd(head, SENTENCE_END);
  if (sentence >= max / 4) return sentence;
  const word = lastEnd(head, SPACE);
  return word > 0 ? word : codePointEnd(text, max);
}

/** The end of the last match; 0 when there is none. */
function lastEnd(head: string, pattern: RegExp): number {
  let end = 0;
  for (const match of head.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

function codePointEnd(text: string, max: number): number {
  const isPairCut = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(max - 1, max + 1));
  return isPairCut && max > 1 ? max - 1 : max;
}
