import { MAX_JSON_DEPTH, MAX_JSON_VALUES, boundJson } from '../../../src/common/http/request-body';

const bound = (text: string) => (): void => {
  boundJson(Buffer.from(text));
};
const nested = (depth: number): string => '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2);
const tooDeep: unknown = expect.objectContaining({ status: 400, code: 'json_too_deep' });
const tooLarge: unknown = expect.objectContaining({ status: 413, code: 'body_too_large' });

test('refuses one level more than is taken, of arrays and objects alike', () => {
  expect(bound(nested(MAX_JSON_DEPTH))).not.toThrow();
  expect(bound(`[${nested(MAX_JSON_DEPTH)}]`)).toThrow(tooDeep as Error);
  expect(bound('['.repeat(100_000))).toThrow(tooDeep as Error);
});

test('counts levels that are open, not brackets', () => {
  expect(bound(`[${'[],{},'.repeat(1000)}1]`)).not.toThrow();
});

test('does not count brackets and quotes inside a text', () => {
  const text = `${'['.repeat(500)}"\\${'{'.repeat(500)},,`;
  expect(bound(JSON.stringify({ text, more: [text] }))).not.toThrow();
  // The backslash before the quote is escaped itself: the text ends there.
  expect(bound(`["\\\\",${'['.repeat(MAX_JSON_DEPTH)}`)).toThrow(tooDeep as Error);
});

test('refuses more values than is taken, however flat', () => {
  expect(bound(`[${'1,'.repeat(MAX_JSON_VALUES - 1)}1]`)).not.toThrow();
  expect(bound(`[${'1,'.repeat(MAX_JSON_VALUES)}1]`)).toThrow(tooLarge as Error);
  expect(bound(`[${'{}'.repeat(MAX_JSON_VALUES)}]`)).toThrow(tooLarge as Error);
});
