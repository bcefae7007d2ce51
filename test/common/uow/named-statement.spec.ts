import { namedStatement } from '../../../src/common/uow';

test('names become numbers in the order of the text, and a repeated name has one', () => {
  const statement = namedStatement<{ id: string; text: string; most: number }>(
    'select $text::text where $most::int > length($text) and id = $id',
  );

  expect(statement.text).toBe('select $1::text where $2::int > length($1) and id = $3');
  expect(statement.values({ id: 'a', text: 'b', most: 3 })).toEqual(['b', 3, 'a']);
});

test('values may come in parts', () => {
  const statement = namedStatement<{ id: string; most: number }>('select $id where $most > 1');

  expect(statement.values({ most: 3 }, { id: 'a' })).toEqual(['a', 3]);
  expect(() => statement.values({ most: 3 }, {})).toThrow('the statement has no value for $id');
});

test('a value may be null, and may not be missing', () => {
  const statement = namedStatement<{ id?: string | null }>('select $id::text');

  expect(statement.values({ id: null })).toEqual([null]);
  expect(() => statement.values({})).toThrow('the statement has no value for $id');
});
