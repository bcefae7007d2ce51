import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv/dist/2020';
import { parse } from 'yaml';
import { keysOf, vacancyJsonSchema } from '../../src/vacancies';

const EXAMPLES = ['backend-engineer.en.yaml', 'support-lead.ru.yaml'];
const check = new Ajv({ strict: false }).compile(vacancyJsonSchema());

function example(name: string): { source: string; read: Record<string, unknown> } {
  const source = readFileSync(path.resolve('examples', name), 'utf8');
  return { source, read: parse(source) as Record<string, unknown> };
}

test.each(EXAMPLES)('editors find the schema of %s, and it is valid by it', (name) => {
  const { source, read } = example(name);

  const named = /^# yaml-language-server: \$schema=(.+)$/m.exec(source)?.[1] ?? '';
  const stored: unknown = JSON.parse(readFileSync(path.resolve('examples', named), 'utf8'));
  expect(stored).toEqual(JSON.parse(JSON.stringify(vacancyJsonSchema())));
  expect(check(read)).toBe(true);
});

test.each([
  ['an unknown key', { colour: 'red' }],
  ['another language', { language: 'de' }],
  ['a number as title', { title: 7 }],
  ['a list as greeting', { greeting: ['Hello'] }],
  ['no question', { questions: [] }],
  ['a question without text', { questions: [{ id: 'a', rubric: 'x' }] }],
])('the schema refuses %s', (_what, change) => {
  expect(check({ ...example('backend-engineer.en.yaml').read, ...change })).toBe(false);
});

test('every key of the file has a meaning', () => {
  const unexplained = keysOf(vacancyJsonSchema())
    .filter(({ schema }) => schema.description === undefined)
    .map(({ path: key }) => key);
  expect(unexplained).toEqual([]);
});
