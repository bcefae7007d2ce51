/** Takes a picture of a page that stands still: its fonts are there, and two pictures in a row are the same. */
const ATTEMPTS = 20;
/** `Node.TEXT_NODE` */
const TEXT = 3;

/**
 * The page down to its end, or what the screen shows of it (`isLong`). `moving`: what in it shows time
 * that passes; it is stopped where two fifths of its time are over. Everything else is at rest.
 */
export async function takePicture(page, look) {
  const { width, height, scheme, moving, isLong = false } = look;
  const before = page.viewportSize();
  if (before.width !== width || before.height !== height) {
    await page.setViewportSize({ width, height });
  }
  const reducedMotion = moving === undefined ? 'reduce' : 'no-preference';
  await page.emulateMedia({ colorScheme: scheme, reducedMotion });
  await page.mouse.move(0, 0);
  await page.evaluate(rest, moving);
  const shot = { fullPage: !isLong };
  let last = await page.screenshot(shot);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const next = await page.screenshot(shot);
    if (next.equals(last)) return next;
    last = next;
    // On a busy machine an animation may begin only now.
    await page.evaluate(rest, moving);
  }
  throw new Error('the page does not stand still');
}

/** Runs in the page. */
async function rest(moving) {
  await document.fonts.ready;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  await frame();
  for (const animation of document.getAnimations()) {
    const { endTime } = animation.effect.getComputedTiming();
    const isShown = moving !== undefined && animation.effect.target.closest(moving) !== null;
    animation.pause();
    if (!Number.isFinite(endTime)) animation.currentTime = 0;
    else animation.currentTime = isShown ? endTime * 0.4 : endTime;
  }
}

/**
 * The names of fonts in which text of the page is set that it did not bring along. They are other ones
 * on another machine.
 */
export async function foreignFonts(page) {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const { nodes } = await session.send('DOM.getFlattenedDocument', { depth: -1, pierce: true });
    const foreign = new Set();
    const words = nodes.filter(({ nodeType, nodeValue }) => nodeType === TEXT && nodeValue.trim());
    for (const nodeId of new Set(words.map(({ parentId }) => parentId))) {
      const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
      for (const font of fonts) if (!font.isCustomFont) foreign.add(font.familyName);
    }
    return [...foreign];
  } finally {
    await session.detach();
  }
}
