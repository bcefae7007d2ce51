/** Somebody who chooses light or dark gets the same colours as somebody whose system has it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const WEB = path.join(__dirname, '../../../web');
const tokens = readFileSync(path.join(WEB, 'src/styles/tokens.css'), 'utf8');
const scheme = readFileSync(path.join(WEB, 'console/look/scheme.css'), 'utf8');

/** The colours of the first block that begins with this. */
function coloursOf(css: string, start: string): Record<string, string> {
  const from = css.indexOf(start) + start.length;
  expect(from).toBeGreaterThan(start.length);
  const block = css.slice(from, css.indexOf('}', from));
  const found = block.matchAll(/--([\w-]+):\s*([^;]+);/g);
  return Object.fromEntries(
    [...found]
      .map(([, name = '', value = '']) => [name, value] as const)
      .filter(([, value]) => /#|rgb/.test(value)),
  );
}

test.each([
  ['light', ':root {'],
  ['dark', '@media (prefers-color-scheme: dark) {\n  :root {'],
])('%s', (name, start) => {
  const chosen = coloursOf(scheme, `:root[data-mantine-color-scheme='${name}'] {`);

  expect(Object.keys(chosen).length).toBeGreaterThan(10);
  expect(chosen).toEqual(coloursOf(tokens, start));
});
