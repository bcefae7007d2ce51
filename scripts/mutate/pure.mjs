/** Changes the pure files of a group, one place at a time, and asks its tests. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { ROOT } from '../documents.mjs';
import { EQUIVALENT } from './equivalent.mjs';
import { GROUPS } from './groups.mjs';

/** Percent of the changes of a file. */
const LEAST = 85;
const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

/** Whether enough changes of each file were noticed. Prints those that were not. */
export async function isEnough(name, { concurrency }) {
  const { files, tests } = GROUPS[name];
  const stryker = new Stryker({
    testRunner: 'jest',
    jest: {
      configFile: 'scripts/mutate/jest.config.cjs',
      // Not Stryker's `testFiles`: it takes their paths for names of tests where a constant is changed, and runs none.
      config: { testMatch: tests.map((pattern) => `<rootDir>/${pattern}`) },
      enableFindRelatedTests: false,
    },
    mutate: files,
    coverageAnalysis: 'perTest',
    // On a busy machine a slow test is no endless one.
    timeoutMS: 20_000,
    concurrency,
    reporters: ['dots'],
    tempDirName: '.tmp/mutate',
    ignorePatterns: ['/.data', '/dist', '/.tmp', '/bench', '/docs/pictures', '/findings', '/web'],
    logLevel: 'warn',
  });
  const mutants = await stryker.runMutationTest();
  console.log('');
  const changed = [...new Set(mutants.map(({ fileName }) => fileName))];
  const outcomes = changed.map((file) =>
    isFileEnough(
      path.relative(ROOT, file),
      mutants.filter(({ fileName }) => fileName === file),
    ),
  );
  return outcomes.every(Boolean);
}

function isFileEnough(file, mutants) {
  const known = EQUIVALENT.filter((one) => one.file === file);
  const lines = readFileSync(path.join(ROOT, file), 'utf8').split('\n');
  const knownOf = (mutant) => known.find((one) => isOf(one, mutant, lines));
  const open = mutants.filter((mutant) => knownOf(mutant) === undefined);
  const survived = open.filter(({ status }) => UNNOTICED.includes(status));
  for (const mutant of survived) {
    const { start } = mutant.location;
    const change = `${onOneLine(originalOf(mutant, lines))}  →  ${onOneLine(mutant.replacement)}`;
    console.log(`  ${file}:${start.line}:${start.column} ${mutant.mutatorName}: ${change}`);
  }
  const wrong = known.filter((one) => {
    const of = mutants.filter((mutant) => isOf(one, mutant, lines));
    return of.length === 0 || of.some(({ status }) => NOTICED.includes(status));
  });
  for (const { original, replacement } of wrong) {
    console.log(`  ${file}: not equivalent, or not there: ${original}  →  ${replacement}`);
  }
  const noticed = open.filter(({ status }) => NOTICED.includes(status)).length;
  const all = noticed + survived.length;
  const percent = all === 0 ? 100 : (100 * noticed) / all;
  const late = open.filter(({ status }) => status === 'Timeout').length;
  console.log(
    `${file}: ${noticed} of ${all} noticed, ${percent.toFixed(1)} %` +
      `${late > 0 ? `, ${late} of them by their time` : ''}` +
      `${known.length > 0 ? `; ${known.length} called equivalent` : ''}` +
      `${percent >= LEAST ? '' : `; less than ${LEAST} %`}`,
  );
  return percent >= LEAST && wrong.length === 0;
}

function isOf({ original, replacement, on = '' }, mutant, lines) {
  return (
    onOneLine(mutant.replacement) === replacement &&
    onOneLine(originalOf(mutant, lines)) === original &&
    (lines[mutant.location.start.line - 1] ?? '').includes(on)
  );
}

/** The code that the mutant changes. Lines and columns count from 1. */
function originalOf({ location: { start, end } }, lines) {
  const taken = lines.slice(start.line - 1, end.line);
  const last = taken.length - 1;
  taken[last] = taken[last].slice(0, end.column - 1);
  taken[0] = taken[0].slice(start.column - 1);
  return taken.join('\n');
}

function onOneLine(code) {
  return code.replace(/\s+/g, ' ').trim();
}
