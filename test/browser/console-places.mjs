/** The places of the console, from the bar at the bottom of a phone, which has the last ones behind "More". */

/** `one`: with its page and `press`. */
export async function pressPlace({ page, press }, name) {
  const link = page.locator('a.shell-place', { hasText: name });
  if ((await link.count()) > 0) {
    await press(link);
    return;
  }
  await press(page.locator('button.shell-place'));
  await press(page.getByRole('menuitem', { name, exact: true }));
}
