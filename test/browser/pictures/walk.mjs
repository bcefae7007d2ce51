/**
 * Takes the pictures of some states. Each pair of a state and a language is walked once for phones and
 * once for desks, because a page knows which of them it is on; the sizes and colour schemes are pictures
 * of the same walk.
 */
import { CANDIDATE_STATES } from './candidate-states.mjs';
import { CONSOLE_STATES } from './console-states.mjs';
import { OTHER_STATES } from './other-states.mjs';
import { takePicture } from './take.mjs';

export const STATES = { ...CANDIDATE_STATES, ...OTHER_STATES, ...CONSOLE_STATES };
export const SIZES = ['390x844', '320x640', '1280x800', '1920x1080'];
export const LANGUAGES = ['ru', 'en'];
export const SCHEMES = ['light', 'dark'];
const DESKTOP_FROM = 800;
const AT_A_TIME = 3;

export function deviceOf({ width }) {
  return width < DESKTOP_FROM ? 'phone' : 'desktop';
}

export function measures(size) {
  const [width, height] = size.split('x').map(Number);
  return { width, height };
}

/** Whether a page in this state exists on a screen of this size. */
export function exists(state, size) {
  const { on } = STATES[state];
  return on === undefined || on === deviceOf(measures(size));
}

/**
 * Calls `onPicture` with each picture, its page and the PNG, `onFailure` with a walk that broke.
 * `pictures`: {state, size, language, scheme}.
 */
export async function walk(stage, pictures, { onPicture, onFailure }) {
  const walks = new Map();
  for (const picture of pictures) {
    const { state, language, size } = picture;
    const key = [state, language, deviceOf(measures(size))].join();
    walks.set(key, [...(walks.get(key) ?? []), picture]);
  }
  const all = [...walks.values()];
  const isLast = ([{ state }]) => STATES[state].comesLast === true;
  for (const some of [all.filter((one) => !isLast(one)), all.filter(isLast)]) {
    const waiting = [...some];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [{ state, language }] = next;
        await walkOnce(stage, next, onPicture).catch((error) =>
          onFailure({ state, language, error }),
        );
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  }
}

async function walkOnce(stage, pictures, onPicture) {
  const [{ state, language, size }] = pictures;
  const viewport = measures(size);
  const touch = deviceOf(viewport) === 'phone' ? { hasTouch: true, isMobile: true } : {};
  const scene = await stage.enter(language, { viewport, ...touch });
  const { moving, isLong } = STATES[state];
  try {
    await STATES[state].walk(scene);
    for (const picture of pictures) {
      await useOwnFonts(
        scene.page,
        STATES[state].hasCode === true && picture.purpose !== 'documents',
      );
      const look = { ...measures(picture.size), scheme: picture.scheme, moving, isLong };
      await onPicture({ ...picture, page: scene.page, png: await takePicture(scene.page, look) });
    }
  } finally {
    await scene.page.context().close();
  }
}

/** Code is set in the machine's own font: in a picture that is compared it has the page's, which all machines have. */
async function useOwnFonts(page, isWanted) {
  const id = 'own-fonts';
  await page.evaluate((name) => document.getElementById(name)?.remove(), id);
  if (!isWanted) return;
  const style = await page.addStyleTag({
    content: '.cm-scroller, .difference, .difference * { font-family: var(--sans) !important; }',
  });
  await style.evaluate((element, name) => (element.id = name), id);
}
