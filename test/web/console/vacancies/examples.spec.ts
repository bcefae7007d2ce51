/** A new vacancy from an example. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseVacancy } from '../../../../src/vacancies/vacancy-file';
import {
  EXAMPLE_TITLES,
  EXAMPLES,
  asNew,
  isSlug,
} from '../../../../web/console/vacancies/examples';

const FOLDER = path.join(__dirname, '../../../../examples');

test.each(EXAMPLES)('%s is a vacancy of its own, without the files of the example', (name) => {
  const { title, language } = EXAMPLE_TITLES[name];
  const source = readFileSync(path.join(FOLDER, `${name}.${language}.yaml`), 'utf8');

  const text = asNew(source, 'night-baker');

  const draft = parseVacancy(text, 'new');
  expect(draft).toMatchObject({ slug: 'night-baker', title, language });
  expect(draft.logo).toBeUndefined();
  expect(draft.knowledge).toBeUndefined();
  expect(text).not.toContain('./colloquy');
});

test('a slug has small letters, digits and single hyphens', () => {
  const slugs = ['night-baker', 'a', 'b2', '', '-a', 'a-', 'a--b', 'Night', 'a b', 'a'.repeat(65)];

  expect(slugs.filter(isSlug)).toEqual(['night-baker', 'a', 'b2']);
});
