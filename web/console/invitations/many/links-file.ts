/** The links of an import as a file for a mail merge. */
import { rowText } from './mapping';

export interface LinkedRow {
  /** Of the person's file; null where it is not known. */
  readonly line: number | null;
  readonly externalId: string | null;
  readonly link: { readonly web: string; readonly telegram: string | null; readonly pin: string };
  /** What the person's file says in this row, in its own columns; null: the page has it no more. */
  readonly cells: readonly string[] | null;
}

export interface LinksFileWords {
  readonly line: string;
  readonly externalId: string;
  readonly web: string;
  readonly telegram: string;
  readonly pin: string;
}

/**
 * CSV that Excel reads: UTF-8 with its mark, `;` as the delimiter in Russian. `headers`: of the person's own columns.
 * Without their rows a line number and the external id say whose link it is.
 */
export function linksFile(
  rows: readonly LinkedRow[],
  {
    headers,
    words,
    language,
  }: {
    readonly headers: readonly string[] | null;
    readonly words: LinksFileWords;
    readonly language: 'en' | 'ru';
  },
): string {
  const delimiter = language === 'ru' ? ';' : ',';
  const own = headers ?? [words.externalId];
  const head = [words.line, ...own, words.web, words.telegram, words.pin];
  const lines = rows.map(({ line, externalId, link, cells }) => {
    const given = headers === null ? [externalId ?? ''] : headers.map((_, at) => cells?.[at] ?? '');
    const row = [line === null ? '' : String(line), ...given.map(harmless)];
    return [...row, link.web, link.telegram ?? '', link.pin];
  });
  return `\uFEFF${[head, ...lines].map((cells) => `${rowText(cells, delimiter)}\r\n`).join('')}`;
}

/** A spreadsheet takes such a cell for a formula. Phone numbers and negative numbers are none. */
function harmless(cell: string): string {
  return /^[=@\t\r]/.test(cell) || /^[+-](?![\d\s().-]*$)/.test(cell) ? `'${cell}` : cell;
}
