/**
 * `npm run mutate`: are faults noticed? Stryker changes the code of pure files, one place at a time, and runs their
 * tests: each change should fail one. What survived is printed with its place.
 *
 *   npm run mutate                 all groups of scripts/mutate/groups.mjs; --concurrency 1 on a busy machine
 *   npm run mutate -- calendar     these groups
 *   npm run mutate -- sql [TEXT]   the faults in SQL of scripts/mutate/sql-faults.mjs, planted in a copy (those
 *                                  whose room or name has the text); --times 3 tries each three times
 *
 * Fails when less than 85 % of the changes of a file are noticed, or when a fault in SQL is not. Changes that no test
 * can notice are in scripts/mutate/equivalent.mjs, with the reason.
 */
import { parseArgs } from 'node:util';
import { GROUPS } from './mutate/groups.mjs';
import { isEnough } from './mutate/pure.mjs';
import { plantSqlFaults } from './mutate/sql.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '2' },
  },
});

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
  const concurrency = Number(values.concurrency);
  const outcomes = [];
  for (const name of chosen) outcomes.push(await isEnough(name, { concurrency }));
  process.exitCode = outcomes.every(Boolean) ? 0 : 1;
}
