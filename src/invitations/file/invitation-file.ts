import { isUtf8 } from 'node:buffer';
import { FIELDS, type Field } from './column-names';
import type { Column } from './columns';
import { type CsvRow, type CsvTable, breaksIn, readTable } from './csv';
import { decodeFile } from './encoding';
import { nextTurn } from './next-turn';
import { type RowProblem, refuseFile } from './problems';
import { type Cell, type CheckedRow, MAX_OWN_TEXT, checkRow, damageOf } from './row-check';

/** Rows that one file may have. */
const MAX_ROWS = 10_000;
/** Bytes that one file may have: 800 a row of the longest. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** One row of a file with its fate so far: it will be stored, or it is refused. */
export interface FileRow extends CheckedRow {
  /** Counted from 1, without the header and empty rows. */
  readonly n: number;
  /** Where the row begins in a CSV file, from 1; null for JSON. */
  readonly line: number | null;
}

export interface InvitationFile {
  /** What each column of a CSV file was understood as; empty for JSON. */
  readonly columns: readonly { readonly header: string; readonly as: Field | 'metadata' }[];
  readonly rows: readonly FileRow[];
}

/**
 * Reads a file of invitations. Throws InvitationFileError when it cannot be read as rows; then nothing of
 * it is imported. A row with problems is refused alone. The work is done in slices of some milliseconds.
 */
export async function readInvitationFile(
  bytes: Uint8Array,
  format: 'csv' | 'json',
  now: Date,
): Promise<InvitationFile> {
  const { columns, rows } = await (format === 'csv' ? csvRows(bytes, now) : jsonRows(bytes, now));
  const first = new Map<string, number>();
  const checked = rows.map((row, index): FileRow => {
    const n = index + 1;
    const { externalId } = row;
    const twin = externalId === null ? undefined : first.get(externalId);
    if (externalId === null) return { ...row, n };
    if (twin === undefined) {
      first.set(externalId, n);
      return { ...row, n };
    }
    const column = columns.find(({ as }) => as === 'externalId')?.header ?? 'externalId';
    const problem: RowProblem = { code: 'external_id_twice', row: twin, column };
    return { ...row, n, given: null, problems: [...row.problems, problem] };
  });
  return { columns, rows: checked };
}

interface Rows extends Pick<InvitationFile, 'columns'> {
  readonly rows: readonly Omit<FileRow, 'n'>[];
}

async function csvRows(bytes: Uint8Array, now: Date): Promise<Rows> {
  const table = await readTable(decodeFile(bytes), MAX_ROWS);
  return {
    columns: table.columns
      .filter(({ header }) => header !== '')
      .map(({ header, field }) => ({ header, as: field ?? 'metadata' })),
    rows: await inSlices(table.rows, (row) => ({ line: row.line, ...csvRow(table, row, now) })),
  };
}

/** Rows in one slice. */
const SLICE = 50;

async function inSlices<Row, Checked>(
  rows: readonly Row[],
  check: (row: Row) => Checked,
): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const [index, row] of rows.entries()) {
    if (index % SLICE === SLICE - 1) await nextTurn();
    checked.push(check(row));
  }
  return checked;
}

function csvRow({ columns, delimiter }: CsvTable, row: CsvRow, now: Date): CheckedRow {
  const known = new Map<Field, Cell>();
  const own: [string, string][] = [];
  const problems: RowProblem[] = [];
  row.cells.forEach((cell, index) => {
    const text = cell.trim();
    if (text === '') return;
    const { header, field }: Column = columns[index] ?? { header: '', field: null };
    if (field !== null) {
      if (field !== 'contact') refuseSwallowed(row, index, delimiter);
      const value = givenIn(text);
      if (value !== '') known.set(field, { column: header, text: value });
    } else if (header !== '') {
      own.push([header, text]);
      const problem = ownProblem(header, text);
      if (problem !== null) problems.push(problem);
    } else if (!problems.some(({ code }) => code === 'more_cells')) {
      problems.push({ code: 'more_cells' });
    }
  });
  return checkRow({ known, metadata: Object.fromEntries(own), problems }, now);
}

/**
 * `="0123"` and `'0123` are how people keep a spreadsheet from reading a number, and a dash alone says that
 * there is nothing. With a space beside them, quotation marks are part of a cell. The caller's own columns are
 * left as they are.
 */
function givenIn(text: string): string {
  return text
    .replace(/^=?"([^"]*)"$/, '$1')
    .replace(/^'(?=[\d+@=])/, '')
    .replace(/^[-\u2010-\u2015]$/, '')
    .trim();
}

/**
 * A name with a line break and separators in it is most likely the rest of one row and the beginning of the
 * next, between two quotation marks that do not belong together. Nothing of the file is imported then.
 */
function refuseSwallowed({ line, cells }: CsvRow, index: number, delimiter: string): void {
  const cell = cells[index] ?? '';
  if (!cell.includes('\n') || !cell.includes(delimiter)) return;
  refuseFile('quote_open', { line: line + breaksIn(cells.slice(0, index).join('')) });
}

function ownProblem(column: string, text: string): RowProblem | null {
  const code = damageOf(text);
  if (code !== null) return { code, column };
  return text.length > MAX_OWN_TEXT ? { code: 'too_long', column, max: MAX_OWN_TEXT } : null;
}

async function jsonRows(bytes: Uint8Array, now: Date): Promise<Rows> {
  const rows = listIn(parsed(bytes));
  if (rows.length === 0) refuseFile('no_rows');
  if (rows.length > MAX_ROWS) refuseFile('too_many_rows', { count: rows.length, max: MAX_ROWS });
  const check = (row: unknown): Rows['rows'][number] => ({ line: null, ...jsonRow(row, now) });
  return { columns: [], rows: await inSlices(rows, check) };
}

function parsed(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) return refuseFile('not_json');
  try {
    return JSON.parse(
      Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch {
    return refuseFile('not_json');
  }
}

/** The list itself, or `{ "invitations": [ … ] }`. */
function listIn(json: unknown): readonly unknown[] {
  const list = isObject(json) ? json['invitations'] : json;
  return Array.isArray(list) ? (list as readonly unknown[]) : refuseFile('not_rows');
}

function jsonRow(row: unknown, now: Date): CheckedRow {
  if (!isObject(row)) {
    return { externalId: null, given: null, problems: [{ code: 'not_an_object' }] };
  }
  const known = new Map<Field, Cell>();
  const problems: RowProblem[] = [];
  let metadata: Readonly<Record<string, unknown>> = {};
  for (const [column, value] of Object.entries(row)) {
    if (value === null) continue;
    const field = FIELDS.find((each) => each === column);
    const text = textOf(value);
    if (column === 'metadata' && isObject(value)) metadata = value;
    else if (field === undefined) problems.push(unknownField(column));
    else if (text === null) problems.push({ code: 'not_text', column });
    else if (text.trim() !== '') known.set(field, { column, text: text.trim() });
  }
  return checkRow({ known, metadata, problems }, now);
}

function unknownField(column: string): RowProblem {
  if (column === 'metadata') return { code: 'metadata_invalid' };
  const name = /^[\w.-]{1,40}$/.test(column) ? column : '?';
  return { code: 'unknown_field', column: name };
}

/** Programs send phone numbers and ids as numbers; a whole one has lost nothing. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
