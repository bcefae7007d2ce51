import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const LIST = readFileSync(path.join(ROOT, 'docs/security.md'), 'utf8');

/** How many requirements of level 1 and 2 each section of ASVS 5.0.0 has; they are its first ones. */
const REQUIREMENTS: Readonly<Record<string, readonly number[]>> = {
  V1: [2, 9, 11, 3, 2],
  V2: [3, 3, 4, 1],
  V3: [0, 2, 4, 6, 5, 0, 2],
  V4: [3, 1, 2, 4],
  V5: [1, 3, 2, 3],
  V6: [3, 12, 4, 4, 5, 3, 0, 4],
  V7: [3, 4, 2, 5, 2, 2],
  V8: [2, 3, 1, 1],
  V9: [3, 4],
  V10: [2, 2, 4, 11, 5, 2, 3],
  V11: [2, 3, 3, 4, 1, 1],
  V12: [3, 2, 4],
  V13: [1, 5, 2, 5],
  V14: [2, 4, 3],
  V15: [3, 3, 7],
  V16: [1, 5, 4, 3, 3],
  V17: [1, 4, 2],
};
const STATES = ['met', 'partly', 'not met', 'operator', '–'];

interface Row {
  readonly requirement: string;
  readonly state: string;
  readonly how: string;
  readonly files: readonly string[];
}

const ROWS: readonly Row[] = LIST.split('\n')
  .filter((line) => line.startsWith('| V'))
  .map((line) => {
    const [requirement = '', state = '', how = '', shown = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return { requirement, state, how, files: filesIn(shown) };
  });

/** Names of files stand in backquotes, and have a folder or are in the project's own. */
function filesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** `V1.2.6–V1.2.8` is three requirements; several stand beside each other with commas. */
function idsIn(requirement: string): string[] {
  return [...requirement.matchAll(/(V\d+\.\d+\.)(\d+)(?:–V\d+\.\d+\.(\d+))?/g)].flatMap(
    ([, section = '', first = '', last = first]) =>
      Array.from(
        { length: Number(last) - Number(first) + 1 },
        (_, index) => section + String(Number(first) + index),
      ),
  );
}

test('has each of the 253 requirements of levels 1 and 2 once', () => {
  const expected = Object.entries(REQUIREMENTS).flatMap(([chapter, sections]) =>
    sections.flatMap((count, index) =>
      Array.from({ length: count }, (_, at) => `${chapter}.${String(index + 1)}.${String(at + 1)}`),
    ),
  );
  const listed = ROWS.flatMap(({ requirement }) => idsIn(requirement));

  expect(expected).toHaveLength(253);
  expect(listed.toSorted()).toEqual(expected.toSorted());
});

test('says of each whether it is met, and shows it by files that exist', () => {
  expect(ROWS.length).toBeGreaterThan(150);
  for (const { requirement, state, how, files } of ROWS) {
    expect([requirement, STATES.includes(state)]).toEqual([requirement, true]);
    const isShown = files.length > 0;
    if (state === 'met') expect([requirement, isShown]).toEqual([requirement, true]);
    // What is not met says why.
    else expect([requirement, how === '']).toEqual([requirement, false]);
  }
  const missing = ROWS.flatMap(({ files }) => files).filter(
    (name) => !existsSync(path.join(ROOT, name)),
  );
  expect(missing).toEqual([]);
});

test('names files that exist in its text too', () => {
  const links = [...LIST.matchAll(/\]\(([^)#]*)/g)].map(([, target = '']) => target);
  const named = filesIn(LIST).filter((name) =>
    /^(src|test|tools|scripts|docs)\/[\w./-]+$/.test(name),
  );
  const missing = [...links.map((target) => path.join('docs', target)), ...named].filter(
    (name) => !existsSync(path.join(ROOT, name)),
  );

  expect(missing).toEqual([]);
});
