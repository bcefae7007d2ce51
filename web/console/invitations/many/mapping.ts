/**
 * Which column says what. Columns whose names the server knows are chosen already; a person chooses the others. What
 * is sent keeps the lines of the person's file, so that each problem names the line that they see.
 */
import { FIELDS, type Field, fieldOf } from '../../../../src/invitations/file/column-names';
import { type Table, breaksIn } from './table';

/** `own`: stays as a field of one's own, under the column's name. `leave`: is not sent. */
export type Choice = Field | 'own' | 'leave';

export const CHOICES: readonly Choice[] = [...FIELDS, 'own', 'leave'];

export interface Mapping {
  /** The first row names the columns; else it is a person already. */
  readonly hasHeader: boolean;
  /** In the order of the columns. */
  readonly choices: readonly Choice[];
}

/** What is sent, and how its lines are found in the person's file. */
export interface Sent {
  readonly text: string;
  /** The server's line less this is the person's: 1 where a header was put above their first row. */
  readonly addedLines: number;
  /** Nothing was changed, so that the person's own file can be sent. */
  readonly isUnchanged: boolean;
}

/** As many characters of a column's name as the server takes. */
const MAX_NAME = 64;

export function guessed(table: Table): Mapping {
  const hasHeader = looksLikeHeader(table);
  return { hasHeader, choices: choicesOf(table, hasHeader) };
}

/** The choices that the names of the columns make; each field once. */
export function choicesOf(table: Table, hasHeader: boolean): Choice[] {
  const taken = new Set<Choice>();
  return columnsOf(table).map((index): Choice => {
    const header = hasHeader ? headerOf(table, index) : '';
    const field = hasHeader ? fieldOf(header) : fieldOfCells(table, index);
    if (field !== null && !taken.has(field)) {
      taken.add(field);
      return field;
    }
    return header === '' && isEmpty(table, index, hasHeader) ? 'leave' : 'own';
  });
}

/** What stands in the way of sending; null: nothing. */
export function mappingProblem({ choices }: Mapping): 'nobody' | 'twice' | null {
  const fields = choices.filter((choice) => choice !== 'own' && choice !== 'leave');
  if (new Set(fields).size < fields.length) return 'twice';
  return fields.some((field) => field !== 'validUntil') ? null : 'nobody';
}

/** `columnName`: what a column without a name is called, by its number from 1. */
export function sentOf(
  table: Table,
  mapping: Mapping,
  columnName: (number: number) => string,
): Sent {
  const { text, first } = table;
  if (first === null || isUnchanged(table, mapping)) {
    return { text, addedLines: 0, isUnchanged: true };
  }
  const names = namesOf(table, mapping, columnName);
  const above = text.slice(0, first.start);
  const header = rowText(names, table.delimiter);
  const isCut = mapping.choices.some(
    (choice, index) => choice === 'leave' && !isEmpty(table, index, mapping.hasHeader),
  );
  const below = isCut ? rewritten(table, mapping) : bodyOf(table, mapping);
  if (!mapping.hasHeader) {
    return { text: `${above}${header}\n${below}`, addedLines: 1, isUnchanged: false };
  }
  // A name with line ends in it takes as many lines as before.
  const ends = '\n'.repeat(breaksIn(text.slice(first.start, first.end)));
  const kept = ends === '' ? header : rowText(withEnds(names, ends), table.delimiter);
  return { text: `${above}${kept}\n${below}`, addedLines: 0, isUnchanged: false };
}

/** How each column is called in what is sent; empty: it is left out. */
export function namesOf(
  table: Table,
  { hasHeader, choices }: Mapping,
  columnName: (number: number) => string,
): string[] {
  const taken = new Set<string>();
  return columnsOf(table).map((index) => {
    const choice = choices[index] ?? 'leave';
    if (choice === 'leave') return '';
    if (choice !== 'own') return choice;
    const header = hasHeader ? headerOf(table, index) : '';
    return ownName(header === '' ? columnName(index + 1) : header, taken);
  });
}

export function headerOf({ first }: Table, index: number): string {
  return (first?.cells[index] ?? '').trim().replace(/\s+/g, ' ');
}

export function columnsOf({ width }: Table): number[] {
  return Array.from({ length: width }, (_, index) => index);
}

/** The people: every row below the header, or every row. */
export function peopleOf(table: Table, { hasHeader }: Pick<Mapping, 'hasHeader'>) {
  return hasHeader || table.first === null ? table.rows : [table.first, ...table.rows];
}

/** No header has an address or a phone number in it. */
function looksLikeHeader({ first }: Table): boolean {
  const cells = first?.cells ?? [];
  if (cells.some((cell) => fieldOf(cell) !== null)) return true;
  return !cells.some((cell) => /\S@\S/.test(cell) || /\d{5,}/.test(cell.replace(/[\s()-]/g, '')));
}

/** Without a header: what the first rows look like. */
function fieldOfCells(table: Table, index: number): Field | null {
  const cells = peopleOf(table, { hasHeader: false })
    .slice(0, 5)
    .map(({ cells: row }) => (row[index] ?? '').trim())
    .filter((cell) => cell !== '');
  const are = (form: RegExp): boolean => cells.length > 0 && cells.every((cell) => form.test(cell));
  if (are(/^\S+@\S+\.\S+$/)) return 'email';
  if (are(/^@[a-z]\w+$/i)) return 'telegram';
  if (are(/^\+?[\d\s().-]{7,}$/)) return 'phone';
  return are(/^\p{L}+[\p{L}.'-]*(?: [\p{L}.'-]+)+$/u) ? 'name' : null;
}

/** What the server understands by itself, in the way that was chosen. */
function isUnchanged(table: Table, { hasHeader, choices }: Mapping): boolean {
  if (!hasHeader) return false;
  return columnsOf(table).every((index) => {
    const header = headerOf(table, index);
    if (header === '') return choices[index] === 'leave' && isEmpty(table, index, true);
    return (fieldOf(header) ?? 'own') === choices[index];
  });
}

function isEmpty(table: Table, index: number, hasHeader: boolean): boolean {
  return peopleOf(table, { hasHeader }).every(({ cells }) => (cells[index] ?? '').trim() === '');
}

/** A name that no known column has, and no other one. */
function ownName(header: string, taken: Set<string>): string {
  const name = header.slice(0, MAX_NAME - 4).trim();
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : `${name} ${String(number)}`;
    if (fieldOf(tried) !== null || taken.has(tried.toLowerCase())) continue;
    taken.add(tried.toLowerCase());
    return tried;
  }
}

/** The rows as they are. */
function bodyOf({ text, first }: Table, { hasHeader }: Mapping): string {
  if (first === null) return '';
  return text.slice(hasHeader ? first.end + 1 : first.start);
}

/** The rows without the columns that are left out: each begins in the line in which it began. */
function rewritten(table: Table, { hasHeader, choices }: Mapping): string {
  const { first, delimiter, text } = table;
  let line = first === null ? 1 : first.line;
  if (hasHeader && first !== null) line += breaksIn(text.slice(first.start, first.end)) + 1;
  const lines: string[] = [];
  for (const row of peopleOf(table, { hasHeader })) {
    lines.push('\n'.repeat(Math.max(0, row.line - line)));
    const cells = row.cells.map((cell, index) => {
      const isLeft = (choices[index] ?? 'own') === 'leave';
      return isLeft ? '\n'.repeat(breaksIn(cell)) : cell;
    });
    lines.push(`${rowText(cells, delimiter)}\n`);
    line = row.line + breaksIn(cells.join('')) + 1;
  }
  return lines.join('');
}

function withEnds(names: readonly string[], ends: string): string[] {
  const at = names.findIndex((name) => name !== '');
  return names.map((name, index) => (index === at ? name + ends : name));
}

export function rowText(cells: readonly string[], delimiter: string): string {
  return cells.map((cell) => cellText(cell, delimiter)).join(delimiter);
}

function cellText(cell: string, delimiter: string): string {
  const isPlain = !cell.includes(delimiter) && !/["\n]/.test(cell);
  return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
}
