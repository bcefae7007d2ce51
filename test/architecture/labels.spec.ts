import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Where the code writes the label of a commit or of a unit of work as a literal. */
const PLACES = [
  String.raw`\.commit\w*(?:<[^>]*>)?\(\s*`,
  String.raw`\bunits\s*\.\w+(?:<[^>]*>)?\(\s*`,
  String.raw`\bnew CommitBatcher(?:<[^>]*>)?\(\s*[\w.]+,\s*`,
  // The job runner ends a claim in a commit with this label.
  String.raw`\bthis\.end\(\s*`,
];
const LABEL = new RegExp(`(?:${PLACES.join('|')})'([^']+)'`, 'g');
const FORM = /^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)?$/;

const SRC = path.join(__dirname, '../../src');

/** Metrics show these labels, so that queries need one form. The dot is optional for units. */
test('literal labels of commits and units are in snake_case', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const labels = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(path.join(SRC, file), 'utf8').matchAll(LABEL)])
    .map(([, label = '']) => label);

  expect(labels.length).toBeGreaterThan(200);
  expect(labels).toEqual(
    expect.arrayContaining(['telegram.store_batch', 'intake.handle_batch', 'job.give_back']),
  );
  expect(labels.filter((label) => !FORM.test(label))).toEqual([]);
});
