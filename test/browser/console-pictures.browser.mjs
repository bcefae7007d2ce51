/**
 * 24 pictures of the console. After a change of the look that is meant, look at the new pictures and run
 * `npm run screenshots -- --accept`.
 */
import { report } from './harness.mjs';
import { STORED_OF_CONSOLE } from './pictures/chosen.mjs';
import { comparePictures } from './pictures/compare.mjs';
import { ConsoleApp } from './pictures/console-app.mjs';
import { LANGUAGES } from './pictures/walk.mjs';

const startedAt = performance.now();
const stage = await ConsoleApp.open({ languages: LANGUAGES });
console.log(`  two teams were made in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
try {
  await comparePictures(stage, STORED_OF_CONSOLE);
} finally {
  await stage.close();
}
process.exitCode = report() ? 0 : 1;
