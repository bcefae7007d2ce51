import fc from 'fast-check';
import { csvText, readCsv } from '../../src/scoring/csv';

const COLUMNS = ['id', 'text'];

function read(text: string) {
  return readCsv(text, COLUMNS).map(({ line, cells }) => [line, cells.id, cells.text]);
}

describe('a CSV file', () => {
  test('is read back as it was written, whatever a cell holds', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ё', '"', ',', ';', '\n', '\r\n', ' ') });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constant('x'), cell)), (rows) => {
        const back = readCsv(csvText([COLUMNS, ...rows]), COLUMNS);
        expect(back.map(({ cells }) => [cells.id, cells.text])).toEqual(
          rows.map(([id, text]) => [id, text.trim()]),
        );
      }),
    );
  });

  test.each(['=1+1', '+7', '-1', '@SUM(A1)', '\t=1', ' =1'])(
    'never holds the formula %j',
    (text) => {
      expect(csvText([[text]])).toMatch(/^\uFEFF"?'/);
    },
  );

  test.each([',', ';', '\t'])('may be separated by %j, and names the line of each row', (by) => {
    const text = `\uFEFFID${by}Text\r\n1${by}"two\nlines ""quoted"""\r\n\r\n3${by}`;
    expect(read(text)).toEqual([
      [2, '1', 'two\nlines "quoted"'],
      [5, '3', ''],
    ]);
  });

  test.each([
    ['', /line 1: the header has no column id, text/],
    ['id,note\n1,2', /line 1: the header has no column text/],
    ['id,text,id\n', /line 1: the header has the column id twice/],
    ['id,text\n1,2\n1,2,3', /line 3: 3 cells under 2 columns/],
    ['id,text\n1,"a\n2,b', /line 2: a quotation mark is not closed/],
    ['id,text\n1,"a"b', /line 2: a quotation mark is not closed, or text stands beside it/],
    ['id,text\n1,2\n3,a"b', /line 3: a quotation mark is not closed, or text stands beside it/],
  ])('%j is refused with the line', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
