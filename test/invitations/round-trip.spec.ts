import fc from 'fast-check';
import { readInvitationFile } from '../../src/invitations/file/invitation-file';
import { InvitationFileError } from '../../src/invitations/file/problems';
import { inCodePage, utf8, utf8WithMark, utf16be, utf16le } from './files';

/** Whatever a spreadsheet holds, and however it writes it: the rows come back as they were, or are refused. */

const NOW = new Date('2026-11-29T12:00:00Z');
const LETTERS = Array.from('абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ');
/** What stands in comments and has a meaning in CSV. */
const SIGNS = [...LETTERS, ...Array.from(',;\t"\n \'abc019.–«»№')];

const name = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 2, maxLength: 12 })
  .map((letters) => letters.join(''));
const comment = fc
  .array(fc.constantFrom(...SIGNS), { maxLength: 30 })
  .map((signs) => signs.join('').trim());
const table = fc.array(fc.record({ name, comment }), { minLength: 1, maxLength: 12 });

const dialect = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  end: fc.constantFrom('\r\n', '\n', '\r'),
  quotesAll: fc.boolean(),
  hasSeparatorLine: fc.boolean(),
  encode: fc.constantFrom(utf8, utf8WithMark, utf16le, utf16be, (text: string) =>
    inCodePage('windows-1251', text),
  ),
});
type Dialect = typeof dialect extends fc.Arbitrary<infer T> ? T : never;

function written(
  rows: readonly (readonly string[])[],
  { delimiter, end, quotesAll, hasSeparatorLine, encode }: Dialect,
): Uint8Array {
  const cell = (text: string): string =>
    quotesAll || /[",;\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = rows.map((row) => row.map(cell).join(delimiter) + end);
  return encode((hasSeparatorLine ? `sep=${delimiter}${end}` : '') + lines.join(''));
}

test('a table that is written in any dialect and encoding is read as it was', async () => {
  await fc.assert(
    fc.asyncProperty(table, dialect, async (people, how) => {
      const rows = [['Имя', 'Заметка'], ...people.map((one) => [one.name, one.comment])];

      const { rows: read } = await readInvitationFile(written(rows, how), 'csv', NOW);

      // Spaces at the ends of a cell do not count.
      const expected = people.map((one) => ({
        name: one.name,
        metadata: one.comment === '' ? {} : { Заметка: one.comment },
      }));
      expect(read.map(({ given, problems }) => given ?? problems)).toEqual(expected);
    }),
    { numRuns: 400 },
  );
});

test('bytes of anything are read as rows or refused in a sentence', async () => {
  const pieces = fc.constantFrom(
    'name',
    'email',
    ',',
    ';',
    '\t',
    '"',
    '\n',
    '\r',
    '\0',
    'sep=',
    'я',
  );
  const texts = fc.array(pieces, { maxLength: 60 }).map((parts) => utf8(parts.join('')));
  const bytes = fc.oneof(texts, fc.uint8Array({ maxLength: 200 }));
  const outcomeOf = async (given: Uint8Array, format: 'csv' | 'json'): Promise<string> => {
    try {
      const { rows } = await readInvitationFile(given, format, NOW);
      return rows.length > 0 ? 'rows' : 'no rows';
    } catch (error) {
      return error instanceof InvitationFileError ? 'a sentence' : String(error);
    }
  };

  await fc.assert(
    fc.asyncProperty(bytes, fc.constantFrom('csv', 'json'), async (given, format) => {
      expect(['rows', 'a sentence']).toContain(await outcomeOf(given, format));
    }),
    { numRuns: 1000 },
  );
});
