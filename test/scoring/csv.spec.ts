import fc from 'fast-check';
import { csvText } from '../../src/common/csv';
import { readCsv } from '../../src/scoring/csv';

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

  test.each([
    ...['=1+1', '+7', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1', '\n=1', '\u00a0=1', '\u3000=1'],
    ...['＝1+1', '＋7', '－1', '＠SUM(A1)', '﹦1', '﹢7', '﹣1', '﹫SUM(A1)', '−1', ' \t＝1'],
    ...[
      '\u200b=1',
      '\uFEFF＝1',
      '\u2066=1',
      '\u0000=1',
      '\u00ad＠A1',
      '"=1"',
      '“＝1”',
      "'=1",
      '"\t=1',
    ],
  ])('never holds the formula %j', (text) => {
    expect(csvText([[text]])).toMatch(/^\uFEFF"?'/);
  });

  test.each([
    ['a;=1', "a;'=1"],
    ['a,＠A1', "a,'＠A1"],
    ['a\n=1', "a\n'=1"],
    ['a; "=1', `a; ""'=1`],
    ['a\t"＝1', `a\t""'＝1`],
    ['a|+1', "a|'+1"],
  ])('never holds a formula behind another separator: %j', (text, written) => {
    expect(csvText([[text]])).toContain(written);
  });

  test('begins with no tab or line break, after which a spreadsheet reads on', () => {
    expect(csvText([['\ttext', '\r\ntext', 'a=1', 'a-b', '— да', '1 − 2']])).toBe(
      '\uFEFFtext,text,a=1,a-b,— да,1 − 2\r\n',
    );
  });

  test('keeps numbers as numbers', () => {
    expect(csvText([[-1, 0.5, 12]])).toBe('\uFEFF-1,0.5,12\r\n');
  });

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
