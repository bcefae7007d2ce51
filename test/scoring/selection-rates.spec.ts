import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCsv } from '../../src/scoring/csv';
import { selectionRates } from '../../src/scoring/selection-rates';
import { runCli } from '../support/run-cli';

function rows(groups: readonly (readonly [row: string, people: number])[], columns = 'sex') {
  const lines = groups.flatMap(([row, people]) => Array.from({ length: people }, () => row));
  return readCsv([`selected,${columns}`, ...lines].join('\n'), ['selected']);
}

test('the impact ratio is the rate of a group to the highest rate', () => {
  // Computed by hand: 48 of 100 selected and 24 of 100 selected give a ratio of one half.
  const [sex] = selectionRates(
    rows([
      ['yes,f', 24],
      ['no,f', 76],
      ['yes,m', 48],
      ['no,m', 52],
      ['no,', 3],
    ]),
  );

  expect(sex).toMatchObject({ category: 'sex', unknown: 3 });
  expect(sex?.groups).toEqual([
    { group: 'f', people: 100, selected: 24, rate: 0.24, isSmall: false, impactRatio: 0.5 },
    { group: 'm', people: 100, selected: 48, rate: 0.48, isSmall: false, impactRatio: 1 },
  ]);
});

test('a group under 2 % of all is marked, has no ratio, and is not compared with', () => {
  const [at] = selectionRates(
    rows([
      ['yes,a', 49],
      ['no,a', 49],
      ['yes,b', 2],
    ]),
  );
  expect(at?.groups[1]).toMatchObject({ isSmall: false, impactRatio: 1 });
  const [under] = selectionRates(
    rows([
      ['yes,a', 49],
      ['no,a', 50],
      ['yes,b', 1],
    ]),
  );
  expect(under?.groups).toMatchObject([
    { group: 'a', impactRatio: 1 },
    { group: 'b', isSmall: true, rate: 1, impactRatio: null },
  ]);
});

test('several categories are also taken together, without people who left one open', () => {
  const found = selectionRates(
    rows(
      [
        ['yes,f,x', 1],
        ['no,m,x', 1],
        ['yes,m,', 1],
      ],
      'sex,origin',
    ),
  );

  expect(found.map(({ category, unknown }) => [category, unknown])).toEqual([
    ['sex', 0],
    ['origin', 1],
    ['sex × origin', 1],
  ]);
  expect(found[2]?.groups).toMatchObject([
    { group: 'f × x', impactRatio: 1 },
    { group: 'm × x', impactRatio: 0 },
  ]);
});

test('there is no ratio when nobody was selected', () => {
  const [sex] = selectionRates(rows([['no,f', 2]]));
  expect(sex?.groups).toMatchObject([{ rate: 0, impactRatio: null }]);
});

test('the command prints the table without a database, and names the line of a bad row', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-selection-'));
  const file = path.join(folder, 'declared.csv');
  const run = () => runCli(['fairness', 'selection', file], {});

  await writeFile(file, 'selected;sex\nyes;f\nнет;m\n');
  const { code, out } = await run();
  await writeFile(file, 'selected;sex\nyes;f\nmaybe;m\n');
  const bad = await run();
  await writeFile(file, Buffer.from([0xff, 0xfe, 0x41]));
  const binary = await run();
  await rm(folder, { recursive: true });

  expect(code).toBe(0);
  expect(out).toMatch(/f\s+1\s+1\s+100\.0 %\s+1\.00\n.*m\s+1\s+0\s+0\.0 %\s+0\.00/);
  expect(out).toContain('nothing of it was stored');
  expect([bad.code, bad.err]).toEqual([
    1,
    `${file}: line 3: expected yes or no under selected, found "maybe"\n`,
  ]);
  expect(binary.err).toContain('is not UTF-8');
});
