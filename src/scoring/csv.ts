import { CsvError as ParseError, parse } from 'csv-parse/sync';
import { BOM } from '../common/csv';
import { ColloquyError } from '../common/errors';

/** A CSV file that cannot be read. The message names the line. */
export class CsvError extends ColloquyError {
  readonly code = 'csv_invalid';
  readonly retryable = false;
}

/** One row below the header. */
export interface CsvRow {
  /** Where the row begins in the file, from 1. */
  readonly line: number;
  /** By the names of the header, in lower case; trimmed, and an absent cell is empty. */
  readonly cells: Readonly<Record<string, string>>;
}

const LINE_ENDINGS = ['\r\n', '\n', '\r'];

/**
 * Reads CSV with a header. Commas, semicolons and tabs are accepted, because a spreadsheet writes what
 * its language setting says: the header tells which one it is. Empty rows are skipped. Throws CsvError.
 */
export function readCsv(text: string, required: readonly string[]): CsvRow[] {
  const content = text.startsWith(BOM) ? text.slice(1) : text;
  const records = recordsOf(content, delimiterOf(content));
  const [header, ...rows] = records.filter(({ fields }) => fields.some((field) => field !== ''));
  const names = header?.fields.map((name) => name.toLowerCase()) ?? [];
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new CsvError(
      `line ${String(header?.line ?? 1)}: the header has no column ${missing.join(', ')}`,
    );
  }
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new CsvError(
      `line ${String(header?.line ?? 1)}: the header has the column ${twice} twice`,
    );
  }
  return rows.map(({ line, fields }) => {
    if (fields.length > names.length) {
      throw new CsvError(
        `line ${String(line)}: ${String(fields.length)} cells under ${String(names.length)} columns`,
      );
    }
    return {
      line,
      cells: Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ''])),
    };
  });
}

function delimiterOf(text: string): string {
  const header = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  return [',', ';', '\t'].toSorted(
    (a, b) => header.split(b).length - header.split(a).length,
  )[0] as string;
}

/** Where each record begins in the file, from 1, and its fields. */
function recordsOf(text: string, delimiter: string): { line: number; fields: string[] }[] {
  const records: { line: number; fields: string[] }[] = [];
  let lastLine = 0;
  try {
    parse(text, {
      delimiter,
      recordDelimiter: LINE_ENDINGS,
      relaxColumnCount: true,
      skipEmptyLines: true,
      onRecord: (fields: string[], { lines }) => {
        // The parser counts up to the record's last line.
        const line = lines - breaksIn(fields.join(''));
        records.push({ line, fields: fields.map((field) => field.trim()) });
        lastLine = lines;
        return null;
      },
    });
    return records;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CsvError(
      `line ${String(lastLine + 1)}: a quotation mark is not closed, or text stands beside it`,
      { cause: error },
    );
  }
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
