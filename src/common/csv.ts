/**
 * RFC 4180 in UTF-8 with a byte order mark. A text that a spreadsheet could run as a formula gets an apostrophe
 * before it; a number stays a number.
 */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return BOM + rows.map((row) => csvRow(row)).join('');
}

/** Without it a spreadsheet misreads Cyrillic letters. */
export const BOM = '\uFEFF';

/** What a spreadsheet separates cells by, depending on its language setting. */
export type Separator = ',' | ';' | '\t';

/** One line of such a text. Each separator is quoted in a cell, so the choice of one changes no cell. */
export function csvRow(values: readonly (string | number)[], separator: Separator = ','): string {
  return `${values.map(csvCell).join(separator)}\r\n`;
}

/**
 * What a spreadsheet may skip before a formula, and the signs that begin one (OWASP, CSV Injection), also in
 * the wide and small forms of East Asian keyboards and as the minus sign.
 */
const SKIPPED = String.raw`[\s\p{Cc}\p{Cf}"'«»“”„‘’＂＇]*`;
const SIGNS = String.raw`[=+\-@＝＋－＠﹦﹢﹣﹫−]`;
const FORMULA = new RegExp(`^${SKIPPED}${SIGNS}`, 'u');
/**
 * A spreadsheet that separates by another sign than this file begins a cell inside of a quoted one. The sign is
 * looked for first, so that a long run of spaces is not read back from each of them.
 */
const INNER_FORMULA = new RegExp(`(?=${SIGNS})(?<=[,;|\\t\\r\\n][ "]*)${SIGNS}`, 'gu');
const LEADING_CONTROLS = /^[\t\r\n]\s*/;

function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = value.replace(LEADING_CONTROLS, '').replace(INNER_FORMULA, "'$&");
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
