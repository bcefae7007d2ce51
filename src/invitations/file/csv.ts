import { parse as parseStream } from 'csv-parse';
import { CsvError, parse } from 'csv-parse/sync';
import { finished } from 'node:stream/promises';
import { nextTurn } from './next-turn';
import { type Column, columnsOf, knownIn } from './columns';
import { refuseFile } from './problems';

/** One row below the header. */
export interface CsvRow {
  /** Where the row begins in the file, from 1. */
  readonly line: number;
  /** As they stand in the file, in the order of the columns. */
  readonly cells: readonly string[];
}

export interface CsvTable {
  readonly columns: readonly Column[];
  readonly delimiter: string;
  readonly rows: readonly CsvRow[];
}

const DELIMITERS = [',', ';', '\t'];
/**
 * Excel's own first line. Its delimiter may be wrong: people change the file and leave the line. Bounded, because
 * each place where the sign may end is tried with all that may follow.
 */
const SEPARATOR_LINE = /^"?sep=([^\n]{0,40}?)"?[,;\t]{0,200}\n/i;
const SEPARATORS = [...DELIMITERS, '|'];
/** More than the longest header that is taken. */
const HEADER_CHARS = 64 * 1024;

/**
 * Reads CSV with a header. The delimiter is the one with which the header names most of the known columns:
 * csv-parse's `delimiter_auto` counts signs and takes a letter, and with a list of delimiters it cuts at
 * every one of them. Line ends may be mixed. Empty rows are skipped. The parser is fed in slices, so that nobody
 * waits for 10,000 rows. Throws InvitationFileError.
 */
export async function readTable(text: string, maxRows: number): Promise<CsvTable> {
  const lines = text.replace(/\r\n?/g, '\n');
  const declared = SEPARATOR_LINE.exec(lines);
  const content = declared === null ? lines : lines.slice(declared[0].length);
  const skipped = declared === null ? 0 : 1;
  const delimiter = delimiterOf(content, separatorOf(declared));
  const open = openQuote(content, delimiter);
  if (open !== null) refuseFile('quote_open', { line: open + skipped });
  const { header, rows, count } = await recordsOf(content, { delimiter, skipped, maxRows });
  if (header === null) return refuseFile('empty');
  const columns = columnsOf(header.cells, header.line);
  if (count > maxRows) refuseFile('too_many_rows', { count, max: maxRows });
  if (count === 0) refuseFile('no_rows');
  return { columns, delimiter, rows };
}

/** `sep=;` alone, and `sep=` with nothing, which a tab leaves after an editor has trimmed the line. */
function separatorOf(declared: RegExpExecArray | null): string | null {
  if (declared === null) return null;
  const sign = (declared[1] ?? '').trim();
  // The sign itself was taken for the rest of the line.
  if (sign === '') return /[,;\t]/.exec(declared[0])?.[0] ?? null;
  if (sign === '\\t') return '\t';
  if (!SEPARATORS.includes(sign)) refuseFile('separator_unknown', { name: sign.slice(0, 8) });
  return sign;
}

function delimiterOf(content: string, declared: string | null): string {
  const candidates = [...(declared === null ? [] : [declared]), ...DELIMITERS];
  const headers = candidates.map((delimiter) => {
    const cells = headerOf(content.slice(0, HEADER_CHARS), delimiter);
    return { delimiter, known: knownIn(cells), cells: cells.length };
  });
  const [best] = headers.toSorted((a, b) => b.known - a.known || b.cells - a.cells);
  // A header of one column has no delimiter, and a tab is the one that stands in no text.
  const isSingle = best === undefined || best.cells <= 1;
  return isSingle ? (declared ?? '\t') : best.delimiter;
}

function headerOf(content: string, delimiter: string): string[] {
  let header: string[] = [];
  try {
    parse(content, {
      ...OPTIONS,
      delimiter,
      skipRecordsWithEmptyValues: true,
      to: 1,
      onRecord: (cells: string[]) => {
        header = cells;
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // A quotation mark stays open, perhaps only with the wrong delimiter.
    return content.split('\n', 1).flatMap((line) => line.split(delimiter));
  }
  return header;
}

/**
 * Without `relaxQuotes`, one cell like `"Acme" Ltd` costs all rows. The columns are not made by the parser,
 * which lets the last of two equal ones win; nothing is cast, because a phone number is no number.
 */
const OPTIONS = {
  recordDelimiter: '\n',
  relaxQuotes: true,
  relaxColumnCount: true,
  skipEmptyLines: true,
  cast: false,
} as const;

interface Records {
  readonly header: CsvRow | null;
  /** At most `maxRows`. */
  readonly rows: readonly CsvRow[];
  /** All rows below the header. */
  readonly count: number;
}

async function recordsOf(
  content: string,
  of: { readonly delimiter: string; readonly skipped: number; readonly maxRows: number },
): Promise<Records> {
  const found: CsvRow[] = [];
  let count = 0;
  const parser = parseStream({
    ...OPTIONS,
    delimiter: of.delimiter,
    onRecord: (cells: string[], { lines }) => {
      if (cells.every((cell) => cell.trim() === '')) return null;
      count += 1;
      // The parser counts up to the record's last line.
      const line = lines - breaksIn(cells.join('')) + of.skipped;
      if (count <= of.maxRows + 1) found.push({ line, cells });
      return null;
    },
  });
  const ended = finished(parser.resume());
  // Awaited only after the last slice.
  ended.catch(() => undefined);
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    parser.write(bytes.subarray(at, at + SLICE_BYTES));
    await nextTurn();
  }
  parser.end();
  await ended;
  const [header = null, ...rows] = found;
  return { header, rows, count: Math.max(0, count - 1) };
}

/** Parsed in a few milliseconds. */
const SLICE_BYTES = 32 * 1024;

export function breaksIn(text: string): number {
  return text.match(/\n/g)?.length ?? 0;
}

const QUOTE = '"'.charCodeAt(0);
const BREAK = '\n'.charCodeAt(0);

/**
 * The line, from 1, of a quotation mark that is not closed, or that closes in a later line in the middle of
 * a cell; null: there is none. csv-parse names the last line of the file for the first, and with
 * `relaxQuotes` it makes one cell of all rows in between for the second, without a word.
 */
function openQuote(content: string, delimiter: string): number | null {
  const separator = delimiter.charCodeAt(0);
  let line = 1;
  let openedIn: number | null = null;
  let isStart = true;
  for (let at = 0; at < content.length; at += 1) {
    const sign = content.charCodeAt(at);
    if (sign === BREAK) line += 1;
    if (openedIn === null) {
      if (sign === QUOTE && isStart) openedIn = line;
      isStart = sign === separator || sign === BREAK;
      continue;
    }
    if (sign !== QUOTE) continue;
    const next = content.charCodeAt(at + 1);
    if (next === QUOTE) {
      at += 1;
      continue;
    }
    const isWholeCell = Number.isNaN(next) || next === separator || next === BREAK;
    if (!isWholeCell && line !== openedIn) return openedIn;
    openedIn = null;
  }
  return openedIn;
}
