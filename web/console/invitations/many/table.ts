/**
 * A pasted or loaded spreadsheet as rows, for the preview and the choice of columns. The server reads the file
 * again and decides: what is shown here never replaces its checks.
 */
import { fieldOf } from '../../../../src/invitations/file/column-names';

export interface TableRow {
  /** Where it begins in the person's file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface Table {
  readonly delimiter: string;
  /** With `\n` at the end of each line. */
  readonly text: string;
  /** The first row with a cell that is not empty; null: there is none. */
  readonly first: (TableRow & { readonly start: number; readonly end: number }) | null;
  /** Below the first one, without empty rows. */
  readonly rows: readonly TableRow[];
  /** Of the longest row that is shown. */
  readonly width: number;
}

/** Excel's own first line. */
const SEPARATOR_LINE = /^"?sep=([^\n]{0,40}?)"?[,;\t]{0,200}\n/i;
/** The first of equal ones wins; a tab stands in no text. */
const DELIMITERS = ['\t', ';', ','];
/** By which the delimiter is chosen. */
const SAMPLE_CHARS = 16 * 1024;
const SAMPLE_ROWS = 10;
/** As many columns as the server takes. */
const MAX_COLUMNS = 60;

export function readTable(given: string): Table {
  const text = given.replace(/^\uFEFF+/, '').replace(/\r\n?/g, '\n');
  const skipped = SEPARATOR_LINE.exec(text)?.[0].length ?? 0;
  const delimiter = delimiterOf(text, skipped);
  const [first = null, ...rows] = recordsOf(text, { delimiter, from: skipped });
  const width = [first, ...rows.slice(0, SAMPLE_ROWS)].reduce(
    (most, row) => Math.max(most, row?.cells.length ?? 0),
    0,
  );
  return { delimiter, text, first, rows, width: Math.min(width, MAX_COLUMNS) };
}

/** What the bytes of a file say; null: they are no text that can be shown, and the server says what they are. */
export function decoded(bytes: Uint8Array): string | null {
  const text = textOf(bytes);
  return text === null || text.includes('\0') ? null : text;
}

function textOf(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return tried('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return tried('utf-16be', bytes);
  return tried('utf-8', bytes) ?? tried('windows-1251', bytes);
}

function tried(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The one with which the first row names most known columns; else the one with most cells, in every row alike. */
function delimiterOf(text: string, from: number): string {
  const sample = text.slice(from, from + SAMPLE_CHARS);
  const tables = DELIMITERS.map((delimiter) => {
    const [first, ...rows] = recordsOf(sample, { delimiter, from: 0 });
    const cells = first?.cells ?? [];
    const known = new Set(cells.map(fieldOf).filter((field) => field !== null)).size;
    const alike = rows.slice(0, SAMPLE_ROWS).filter((row) => row.cells.length === cells.length);
    return { delimiter, known, cells: cells.length, alike: alike.length };
  });
  const [best] = tables.toSorted(
    (a, b) =>
      b.known - a.known ||
      Math.min(2, b.cells) - Math.min(2, a.cells) ||
      b.alike - a.alike ||
      b.cells - a.cells,
  );
  return best?.delimiter ?? '\t';
}

interface TextRecord extends TableRow {
  /** Its place in the text, without the line end. */
  readonly start: number;
  readonly end: number;
}

/** Every record with a cell that is not empty. A quotation mark opens only at the start of a cell. */
function recordsOf(
  text: string,
  { delimiter, from }: { readonly delimiter: string; readonly from: number },
): TextRecord[] {
  const records: TextRecord[] = [];
  let line = breaksIn(text.slice(0, from)) + 1;
  let at = from;
  while (at < text.length) {
    const start = at;
    const cells: string[] = [];
    for (;;) {
      const cell = cellAt(text, at, delimiter);
      cells.push(cell.text);
      at = cell.end;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    if (cells.some((cell) => cell.trim() !== '')) records.push({ line, cells, start, end: at });
    line += breaksIn(text.slice(start, at)) + 1;
    at += 1;
  }
  return records;
}

/** The cell that begins here; `end`: of its delimiter, its line end or the text. */
function cellAt(text: string, at: number, delimiter: string): { text: string; end: number } {
  const quoted = text[at] === '"' ? quotedAt(text, at, delimiter) : null;
  if (quoted !== null) return quoted;
  let end = at;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end += 1;
  return { text: text.slice(at, end), end };
}

/** Null: the mark does not close at the end of a cell, so it is a part of the text. */
function quotedAt(
  text: string,
  at: number,
  delimiter: string,
): { text: string; end: number } | null {
  let from = at + 1;
  for (;;) {
    const end = text.indexOf('"', from);
    if (end < 0) return null;
    const next = text[end + 1];
    if (next === '"') {
      from = end + 2;
      continue;
    }
    if (next !== undefined && next !== delimiter && next !== '\n') return null;
    return { text: text.slice(at + 1, end).replaceAll('""', '"'), end: end + 1 };
  }
}

export function breaksIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
