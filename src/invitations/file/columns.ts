import { type Field, fieldOf } from './column-names';
import { refuseFile } from './problems';

const MAX_COLUMNS = 60;
export const MAX_COLUMN_NAME = 64;
const LETTERS_LOST = /^[?\uFFFD\s.,;:_-]+$/;

/** One column of a file, in its order. */
export interface Column {
  /** As the header has it, trimmed; empty: the column has no name. */
  readonly header: string;
  /** Null: a field of the caller's own, which becomes metadata under the header's words. */
  readonly field: Field | null;
}

/** How many known fields a header has; each counts once. */
export function knownIn(cells: readonly string[]): number {
  return new Set(cells.map(fieldOf).filter((field) => field !== null)).size;
}

/** Whether the first row has the name of a column that is written with these letters. */
export function hasKnownColumn(text: string, letters: RegExp): boolean {
  const lines = text.split(/[\r\n]+/, MOST_LEADING_LINES);
  const header = lines.find((line) => /\p{L}/u.test(line) && !/^"?sep=/i.test(line)) ?? '';
  return header.split(/[,;\t|]/).some((cell) => letters.test(cell) && fieldOf(cell) !== null);
}

const MOST_LEADING_LINES = 20;

/** Throws InvitationFileError for a header that cannot be understood in exactly one way. */
export function columnsOf(cells: readonly string[], line: number): Column[] {
  const headers = withoutEmptyEnd(cells.map((cell) => cell.trim().replace(/\s+/g, ' ')));
  if (headers.length > MAX_COLUMNS) {
    refuseFile('too_many_columns', { count: headers.length, max: MAX_COLUMNS });
  }
  if (headers.some((header) => LETTERS_LOST.test(header) && /[?\uFFFD]/.test(header))) {
    refuseFile('header_lost');
  }
  headers.forEach((header, index) => {
    if (/[\0\p{Surrogate}]/u.test(header)) refuseFile('header_unstorable', { count: index + 1 });
    if (header.length > MAX_COLUMN_NAME) {
      refuseFile('header_too_long', { count: index + 1, max: MAX_COLUMN_NAME });
    }
  });
  if (knownIn(headers) === 0) refuseFile('header_unknown', { line });
  refuseEqual(headers);
  return headers.map((header) => ({ header, field: fieldOf(header) }));
}

/** Of two equal columns a reader of records keeps the last one, so that the other would be lost. */
function refuseEqual(headers: readonly string[]): void {
  const known = new Map<string, string>();
  for (const header of headers) {
    if (header === '') continue;
    const key = fieldOf(header) ?? `own ${header.toLowerCase()}`;
    const other = known.get(key);
    if (other !== undefined) refuseFile('header_twice', { column: other, other: header });
    known.set(key, header);
  }
}

function withoutEmptyEnd(headers: readonly string[]): string[] {
  const last = headers.findLastIndex((header) => header !== '');
  return headers.slice(0, last + 1);
}
