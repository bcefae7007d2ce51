/**
 * What was sent of each row, as long as the page is open: a refused row is corrected in place and sent again alone,
 * and the links are told beside the person's own columns.
 */
import { type Mapping, columnsOf, headerOf, namesOf, peopleOf, rowText } from './mapping';
import type { Table } from './table';

export interface SentRows {
  /** The columns that are sent, as they are called there. */
  readonly names: readonly string[];
  /** The same, as the person's file calls them. */
  readonly headers: readonly string[];
  /** Their cells, by the line of the person's file. */
  readonly rows: ReadonlyMap<number, readonly string[]>;
}

export function sentRowsOf(
  table: Table,
  mapping: Mapping,
  columnName: (number: number) => string,
): SentRows {
  const names = namesOf(table, mapping, columnName);
  const sent = columnsOf(table).filter((index) => names[index] !== '');
  const headers = sent.map((index) => {
    const header = mapping.hasHeader ? headerOf(table, index) : '';
    return header === '' ? (names[index] ?? '') : header;
  });
  const rows = peopleOf(table, mapping).map(
    ({ line, cells }) => [line, sent.map((index) => oneLine(cells[index] ?? ''))] as const,
  );
  return { names: sent.map((index) => names[index] ?? ''), headers, rows: new Map(rows) };
}

export interface CorrectedRow {
  /** Of the person's file. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** With the cells of corrected rows in place of the refused ones. */
export function withCorrected(sent: SentRows, corrected: readonly CorrectedRow[]): SentRows {
  const rows = new Map(sent.rows);
  for (const { line, cells } of corrected) rows.set(line, cells);
  return { ...sent, rows };
}

/** What is sent of corrected rows, one a line, and the line of the person's file of each. Empty ones are left out. */
export function correctedText(
  names: readonly string[],
  corrected: readonly CorrectedRow[],
): { text: string; lines: number[] } {
  const filled = corrected.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const texts = [names, ...filled.map(({ cells }) => cells.map(oneLine))];
  return {
    text: texts.map((cells) => `${rowText(cells, ',')}\n`).join(''),
    lines: filled.map(({ line }) => line),
  };
}

/** Who the row is about: the first that it says of name and contact; null: nothing. */
export function personIn({ names }: SentRows, cells: readonly string[]): string | null {
  const cellOf = (name: string): string => cells[names.indexOf(name)]?.trim() ?? '';
  const whole = cellOf('name') || [cellOf('firstName'), cellOf('lastName')].join(' ').trim();
  const known = [whole, ...['email', 'phone', 'telegram', 'contact', 'externalId'].map(cellOf)];
  return known.find((text) => text !== '') ?? null;
}

function oneLine(cell: string): string {
  return cell.replace(/\s*\n\s*/g, ' ').trim();
}
