import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import { BOM, type Separator, csvRow } from '../common/csv';
import { attachmentNamed } from '../common/http';
import type { Language } from '../vacancies';

/**
 * A list as a file, which is written page by page: memory holds one of them. The first one is read before the
 * response begins, so that a refusal is a response of its own. Where a later page cannot be read the file is cut off
 * and does not end.
 */
export async function listFile<Row>(form: FileForm, file: ListFile<Row>): Promise<StreamableFile> {
  const pieces = form.format === 'csv' ? csvPieces(form, file) : jsonPieces(file);
  const first = await pieces.next();
  const type = form.format === 'csv' ? 'text/csv' : 'application/json';
  return new StreamableFile(Readable.from(from(first, pieces)), {
    type: `${type}; charset=utf-8`,
    disposition: attachmentNamed(`${file.name}.${form.format}`),
  });
}

/** How somebody wants a list as a file. */
export const fileForm = {
  format: z.enum(['csv', 'json']).default('csv'),
  language: z.enum(['en', 'ru']).default('en').describe('Of the columns; only of CSV'),
  separator: z
    .enum(['comma', 'semicolon', 'tab'])
    .optional()
    .describe('Only of CSV; the usual one of the language if it is left out'),
};

export type FileForm = z.infer<z.ZodObject<typeof fileForm>>;

export interface Column<Row> {
  readonly name: Readonly<Record<Language, string>>;
  readonly cell: (row: Row, language: Language) => string | number;
}

interface ListFile<Row> {
  /** Without its ending. */
  readonly name: string;
  /** What the rows are called in JSON. */
  readonly field: string;
  readonly columns: readonly Column<Row>[];
  /** Read one by one, each when the one before has been sent. */
  readonly pages: AsyncGenerator<readonly Row[], void, undefined>;
}

const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;
/** As spreadsheets expect it, which write a decimal comma in Russian. */
const USUAL: Readonly<Record<Language, Separator>> = { en: ',', ru: ';' };

async function* csvPieces<Row>(
  { language, separator }: FileForm,
  { columns, pages }: ListFile<Row>,
): AsyncGenerator<string, void, undefined> {
  const sign = separator === undefined ? USUAL[language] : SEPARATORS[separator];
  let before =
    BOM +
    csvRow(
      columns.map(({ name }) => name[language]),
      sign,
    );
  for await (const page of pages) {
    const rows = page.map((row) => columns.map(({ cell }) => cell(row, language)));
    yield before + rows.map((row) => csvRow(row, sign)).join('');
    before = '';
  }
}

async function* jsonPieces<Row>({
  field,
  pages,
}: ListFile<Row>): AsyncGenerator<string, void, undefined> {
  let before = `{"${field}":[`;
  for await (const page of pages) {
    for (const row of page) {
      yield `${before}\n${JSON.stringify(row)}`;
      before = ',';
    }
  }
  yield before === ',' ? '\n]}\n' : `${before}]}\n`;
}

async function* from(
  first: IteratorResult<string, void>,
  pieces: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  if (first.done === true) return;
  yield first.value;
  yield* pieces;
}

/** A moment as spreadsheets read it in every language; the name of its column says that it is in UTC. */
export function csvTime(at: string | null): string {
  return at === null ? '' : at.slice(0, 19).replace('T', ' ');
}

/** With a decimal comma in Russian: a spreadsheet would read 3.5 as a day in May. */
export function csvDecimal(value: number | null, language: Language): string {
  if (value === null) return '';
  return language === 'ru' ? String(value).replace('.', ',') : String(value);
}
