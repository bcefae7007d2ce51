import { numbersIn } from '../../src/interview/turn/numbers';

function valuesIn(text: string): readonly (readonly number[])[] {
  return numbersIn(text).map(({ values }) => values);
}

test.each([
  ['1200', 1200],
  ['1,200', 1200],
  ['1 200', 1200],
  ['1\u00a0200', 1200],
  ['1.2k', 1200],
  ['1,2 тыс.', 1200],
  ['twelve hundred', 1200],
  ['one thousand two hundred', 1200],
  ['a hundred and eighty', 180],
  ['тысяча двести', 1200],
  ['тысячу двести', 1200],
  ['2.5', 2.5],
  ['2,5', 2.5],
  ['полтора', 1.5],
  ['полторы тысячи', 1500],
  ['twenty-five', 25],
  ['двадцати пяти', 25],
  ['четырёхсот', 400],
  ['two million', 2_000_000],
  ['4 млн', 4_000_000],
  ['20,000,000', 20_000_000],
  ['0.1%', 0.1],
  ['€90k', 90_000],
])('%s means %d', (text, value) => {
  expect(valuesIn(text)).toHaveLength(1);
  expect(valuesIn(text)[0]).toContain(value);
});

test.each([
  ['from 5 to 12', [[5], [12]]],
  ['two and three', [[2], [3]]],
  ['с 5 к 6', [[5], [6]]],
  ['in 2–3 sentences', [[2], [3]]],
  ['двух-трёх', [[2], [3]]],
  ['160–180 тысяч', [[160, 160_000], [180_000]]],
  ['85 to 90k', [[85, 85_000], [90_000]]],
  ['no number here, in the second step', []],
])('the numbers of %j', (text, expected) => {
  expect(valuesIn(text)).toEqual(expected);
});
