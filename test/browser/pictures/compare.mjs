/**
 * Checks pictures of a stage: each as its stored picture shows it, in the page's own fonts, and without a finding of
 * axe in both colour schemes.
 */
import { axeOutcomes } from '../axe.mjs';
import { check, equal, part } from '../harness.mjs';
import { difference } from './stored-pictures.mjs';
import { foreignFonts } from './take.mjs';
import { walk } from './walk.mjs';

export function comparePictures(stage, pictures) {
  return part(`${pictures.length} pictures`, () => walk(stage, pictures, { onPicture, onFailure }));
}

async function onPicture({ page, png, ...picture }) {
  const { state, language, size } = picture;
  const name = `${state} (${language}, ${size})`;
  await check(`${name} looks like its stored picture`, async () =>
    equal(difference(picture, png), null, 'difference'),
  );
  await check(`${name} is set in the page's own fonts`, async () =>
    equal(await foreignFonts(page), [], 'other fonts'),
  );
  await check(`${name}: axe finds nothing`, async () => {
    equal(await findings(page, picture.scheme), [], 'findings');
  });
}

function onFailure({ state, language, error }) {
  return check(`${state} (${language}) can be reached`, () => Promise.reject(error));
}

/** In the picture's own colours every rule counts, in the others those of colours. */
async function findings(page, scheme) {
  const found = await axeOutcomes(page);
  await page.emulateMedia({ colorScheme: scheme === 'light' ? 'dark' : 'light' });
  return [...found, ...(await axeOutcomes(page, { onlyColours: true }))];
}
