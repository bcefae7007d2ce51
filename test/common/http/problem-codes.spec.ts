import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { HTTP_PROBLEMS, STORED_PROBLEMS, problemTable } from '../../../src/common/http';

const SOURCE = path.join(__dirname, '../../../src');
const LIST = 'common/http/problem-codes.ts';
const THROWN = /new ProblemError\(\s*(\d+),\s*'(\w+)'/g;
const DECLARED = /readonly code = '(\w+)'/g;

const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== LIST)
  .map((file) => readFileSync(path.join(SOURCE, file), 'utf8'));

test('each refusal of the HTTP layer is thrown with the status of the list', () => {
  const thrown = sources.flatMap((text) =>
    [...text.matchAll(THROWN)].map(([, status, code = '']) => [code, Number(status)]),
  );
  const statuses = { ...STORED_PROBLEMS, ...HTTP_PROBLEMS };

  expect(thrown.length).toBeGreaterThan(40);
  for (const [code, status] of thrown) {
    expect([code, statuses[code as keyof typeof statuses].status]).toEqual([code, status]);
  }
});

test('the list has no code that the program does not use', () => {
  const all = sources.join('\n');
  const declared = new Set([...all.matchAll(DECLARED)].map(([, code]) => code));

  expect(Object.keys(STORED_PROBLEMS).filter((code) => !declared.has(code))).toEqual([]);
  expect(Object.keys(HTTP_PROBLEMS).filter((code) => !all.includes(`'${code}'`))).toEqual([]);
});

test('the table has one row for each code', () => {
  const rows = problemTable().split('\n').slice(2);
  const codes = rows.map((row) => /^\| `(\w+)` \| \d{3} \| [^|]+ \| [^|]+ \|$/.exec(row)?.[1]);

  expect(codes).toEqual(Object.keys({ ...STORED_PROBLEMS, ...HTTP_PROBLEMS }).sort());
});
