/**
 * `npm run mutate`: are faults noticed? Stryker changes the code of pure files, one place at a time, and runs their
 * tests: each change should fail one. What survived is printed with its place.
 *
 *   npm run mutate                 all groups of scripts/mutate/groups.mjs
 *   npm run mutate -- calendar     these groups
 *   npm run mutate -- sql [TEXT]   the faults in SQL of scripts/mutate/sql-faults.mjs, planted in a copy (those
 *                                  whose room or name has the text); --times 3 tries each three times
 *
 * Fails when a group notices less than 85 % of its changes, or when a fault in SQL is not noticed.
 */
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { GROUPS } from './mutate/groups.mjs';
import { plantSqlFaults } from './mutate/sql.mjs';

const LEAST = 85;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string', default: '1' } },
});

/** Changes the files of a group; returns whether enough was noticed. */
async function isEnough(name) {
  const { files, tests } = GROUPS[name];
  const stryker = new Stryker({
    testRunner: 'jest',
    jest: { configFile: 'scripts/mutate/jest.config.cjs', enableFindRelatedTests: false },
    testFiles: tests,
    mutate: files,
    coverageAnalysis: 'perTest',
    concurrency: 2,
    reporters: [],
    tempDirName: '.tmp/mutate',
    ignorePatterns: ['/.data', '/dist', '/.tmp', '/bench', '/docs', '/findings', '/web'],
    logLevel: 'warn',
  });
  const mutants = await stryker.runMutationTest();
  const noticed = mutants.filter(
    ({ status }) => status === 'Killed' || status === 'Timeout',
  ).length;
  const survived = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  for (const { fileName, location, mutatorName, replacement } of survived) {
    const place = `${fileName}:${location.start.line + 1}:${location.start.column + 1}`;
    console.log(`  ${place} ${mutatorName}: ${replacement.replace(/\s+/g, ' ')}`);
  }
  const all = noticed + survived.length;
  const percent = (100 * noticed) / all;
  const line = `${name}: ${noticed} of ${all} noticed, ${percent.toFixed(1)} %`;
  console.log(percent >= LEAST ? line : `${line}, less than ${LEAST} %`);
  return percent >= LEAST;
}

if (positionals[0] === 'sql') {
  const missed = plantSqlFaults({ times: Number(values.times), only: positionals[1] ?? '' });
  console.log(missed === 0 ? 'all noticed' : `${missed} not noticed`);
  process.exitCode = missed === 0 ? 0 : 1;
} else {
  const chosen = positionals.length > 0 ? positionals : Object.keys(GROUPS);
  const unknown = chosen.filter((name) => !(name in GROUPS));
  if (unknown.length > 0) {
    console.error(
      `unknown: ${unknown.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}, sql`,
    );
    process.exit(2);
  }
  const outcomes = [];
  for (const name of chosen) outcomes.push(await isEnough(name));
  process.exitCode = outcomes.every(Boolean) ? 0 : 1;
}
