import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Helpers are the code in test/ that is neither a spec nor a browser test. */
const TESTS = path.join(__dirname, '..');
const CODE = /\.(ts|tsx|mjs|cjs)$/;
const TEST = /\.(spec\.tsx?|browser\.mjs)$/;

const code = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) =>
  CODE.test(file),
);
const helpers = code.filter((file) => !TEST.test(file));

function linesOf(files: readonly string[]): number {
  const lines = files.map(
    (file) => readFileSync(path.join(TESTS, file), 'utf8').split('\n').length - 1,
  );
  return lines.reduce((sum, count) => sum + count, 0);
}

test('helpers are less than 15 % of the lines of the tests', () => {
  expect(code.length).toBeGreaterThan(400);
  expect(linesOf(helpers) / linesOf(code)).toBeLessThan(0.15);
});

test('no helper file is called fixture, stage, world or talk', () => {
  const vague = /(^|[/-])(fixtures?|stage|world|talk)\.[a-z]+$/;

  expect(helpers.filter((file) => vague.test(file))).toEqual([]);
});

test('no helper outside test/support makes a database or an application', () => {
  const makers = /\b(createTestDatabase|createDataSource|createApplication)\(/;
  const elsewhere = helpers.filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.startsWith('support/') &&
      makers.test(readFileSync(path.join(TESTS, file), 'utf8')),
  );

  // A worker in a process of its own.
  expect(elsewhere).toEqual(['jobs/chaos/worker-process.ts']);
});

test('tests are written with `test`, never with `it`', () => {
  const found = code.filter((file) =>
    /^\s*it(\.\w+)?\(/m.test(readFileSync(path.join(TESTS, file), 'utf8')),
  );

  expect(found).toEqual([]);
});
