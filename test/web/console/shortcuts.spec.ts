/** Nobody is shown a key that means nothing to them. */
import { scopesOf } from '../../../src/access/rights';
import { shortcutsOf } from '../../../web/console/shell/shortcuts';
import { en } from '../../../web/console/texts/en';
import { ru } from '../../../web/console/texts/ru';

const textsFor = (role: 'admin' | 'recruiter' | 'interviewer' | 'viewer') =>
  shortcutsOf({ scopes: [...scopesOf(role)] }, en.shortcuts.rows).map(({ text }) => text);

test('an admin is shown all of them', () => {
  expect(textsFor('admin')).toHaveLength(en.shortcuts.rows.length);
});

test('a recruiter is shown none of an admin', () => {
  const missing = en.shortcuts.rows.filter(({ text }) => !textsFor('recruiter').includes(text));
  expect(missing.map(({ scope }) => scope)).toEqual(['users:write', 'users:write', 'keys:write']);
});

test('an interviewer rates, and neither decides nor invites', () => {
  const texts = textsFor('interviewer').join('\n');
  expect(texts).toContain('give the criterion this mark');
  expect(texts).not.toMatch(/decide|[Rr]emind|New links|begin a new one|save it|records/);
});

test('a viewer is shown how to go, to search and to read', () => {
  expect(textsFor('viewer').join('\n')).not.toMatch(
    /mark|note|comment|inbox|[Rr]emind|Select|decide|others gave|invit|save it|records/,
  );
  expect(textsFor('viewer')).toContain('In an interview: read blind, or not');
});

test('both languages show the same ones', () => {
  const keysOf = (rows: typeof en.shortcuts.rows) =>
    rows.map(({ scope, isOfRecords }) => [scope, isOfRecords]);
  expect(keysOf(ru.shortcuts.rows)).toEqual(keysOf(en.shortcuts.rows));
});
