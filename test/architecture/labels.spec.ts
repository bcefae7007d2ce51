import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The label of a commit or of a unit of work, as it is written in the code. */
const LABEL = /(?:\.commit\w*(?:<[^>]*>)?|\bunits\s*\.\w+(?:<[^>]*>)?)\(\s*'([^']+)'/g;
const FORM = /^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)?$/;

const SRC = path.join(__dirname, '../../src');

/** Metrics show these labels, so that queries need one form. */
test('labels of commits and of units of work have the form room.action, in snake_case', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const labels = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(path.join(SRC, file), 'utf8').matchAll(LABEL)])
    .map(([, label = '']) => label);

  expect(labels.length).toBeGreaterThan(250);
  expect(labels.filter((label) => !FORM.test(label))).toEqual([]);
});
