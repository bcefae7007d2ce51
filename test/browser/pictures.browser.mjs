/**
 * 24 states of the pages, each as its stored picture shows it, in the page's own fonts, and without a
 * finding of axe in both colour schemes. After a change of the look that is meant, look at the new pictures and
 * run `npm run screenshots -- --accept`.
 */
import { axeOutcomes } from './axe.mjs';
import { check, equal, part, report } from './harness.mjs';
import { STORED } from './pictures/chosen.mjs';
import { PictureApp } from './pictures/picture-app.mjs';
import { difference } from './pictures/stored-pictures.mjs';
import { foreignFonts } from './pictures/take.mjs';
import { walk } from './pictures/walk.mjs';

/** In the picture's own colours every rule counts, in the others those of colours. */
async function findings(page, scheme) {
  const found = await axeOutcomes(page);
  await page.emulateMedia({ colorScheme: scheme === 'light' ? 'dark' : 'light' });
  return [...found, ...(await axeOutcomes(page, { onlyColours: true }))];
}

async function onPicture({ page, png, ...picture }) {
  const { state } = picture;
  await check(`${state} looks like its stored picture`, async () =>
    equal(difference(picture, png), null, 'difference'),
  );
  await check(`${state} is set in the page's own fonts`, async () =>
    equal(await foreignFonts(page), [], 'other fonts'),
  );
  await check(`${state}: axe finds nothing`, async () => {
    equal(await findings(page, picture.scheme), [], 'findings');
  });
}

function onFailure({ state, error }) {
  return check(`${state} can be reached`, () => Promise.reject(error));
}

const stage = await PictureApp.open();
try {
  await part('24 pictures', () => walk(stage, STORED, { onPicture, onFailure }));
} finally {
  await stage.close();
}
process.exitCode = report() ? 0 : 1;
