/** What axe-core finds in a page. It runs in the page itself: a page of its own takes seconds. */
import axe from 'axe-core';

/** The rules whose result can change with the colour scheme alone. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** One line for each violated rule. `onlyColours`: the page was checked in its other colours before. */
export async function axeOutcomes(page, { onlyColours = false } = {}) {
  const isLoaded = await page.evaluate(() => 'axe' in window);
  if (!isLoaded) await page.evaluate(axe.source);
  const options = {
    resultTypes: ['violations'],
    ...(onlyColours ? { runOnly: { type: 'rule', values: OF_COLOURS } } : {}),
  };
  const violations = await page.evaluate(async (given) => {
    const result = await window.axe.run(document, given);
    return result.violations.map(({ id, nodes }) => ({ id, html: nodes[0]?.html ?? '' }));
  }, options);
  return violations.map(({ id, html }) => `${id}: ${html.slice(0, 200)}`);
}
