/**
 * 24 states of the candidate's pages and of what surrounds them. After a change of the look that is meant, look at the
 * new pictures and run `npm run screenshots -- --accept`.
 */
import { report } from './harness.mjs';
import { STORED } from './pictures/chosen.mjs';
import { comparePictures } from './pictures/compare.mjs';
import { PictureApp } from './pictures/picture-app.mjs';

const stage = await PictureApp.open();
try {
  await comparePictures(stage, STORED);
} finally {
  await stage.close();
}
process.exitCode = report() ? 0 : 1;
