/** The text under one heading, without the sections below it. */
export interface Section {
  /** From the outermost heading to this one; empty before the first. */
  readonly headings: readonly string[];
  readonly body: string;
}

export type DocumentFormat = 'markdown' | 'text';

/** A longer line is no heading, whatever it begins with. */
const MAX_HEADING = 160;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

interface Open {
  readonly level: number;
  readonly title: string;
}

/**
 * A document by its headings, in order. Text has none; in Markdown they are lines that begin with
 * `#`, but not inside a fence. A heading with nothing below it is its own text, so that nothing of
 * a document is lost.
 */
export function sectionsOf(source: string, format: DocumentFormat): Section[] {
  if (format === 'text') return [{ headings: [], body: source }];
  const sections: Section[] = [];
  let path: readonly Open[] = [];
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

/** A fence ends at the same mark, at least as long. One that never ends reaches to the end. */
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

function headingOf(line: string): Open | null {
  const [, marks, title] = HEADING.exec(line) ?? [];
  if (marks === undefined || title === undefined || title === '') return null;
  return title.length > MAX_HEADING ? null : { level: marks.length, title };
}
