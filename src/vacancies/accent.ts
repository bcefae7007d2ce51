import type { Accent } from './vacancy';

/**
 * The contrast of a company's accent colour with the candidate's page, as WCAG 2 computes it. On the
 * page it is the colour of links, marks and buttons, so it has to be readable on the page, and the text
 * of a button on it.
 */

/** WCAG 2, level AA, for text. */
const LEAST_CONTRAST = 4.5;

/** What the accent meets in each scheme: the page, and the text on a button (web/src/styles/tokens.css). */
export const ACCENT_GROUNDS = {
  light: { page: '#f5f2ea', other: '#ffffff' },
  dark: { page: '#161512', other: '#1f1e1a' },
} as const;

type Scheme = keyof Accent;

/** Null when the colour can be read in this scheme; otherwise what is wrong and what helps. */
export function accentProblem(color: string, scheme: Scheme): string | null {
  const { contrast, ground } = leastContrast(color, scheme);
  if (contrast >= LEAST_CONTRAST) return null;
  const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
  const help = scheme === 'light' ? 'a darker' : 'a lighter';
  return (
    `expected a contrast of at least ${String(LEAST_CONTRAST)} to 1 with ${ground} of the ` +
    `${scheme} page, but ${color} has ${shown} to 1; choose ${help} colour`
  );
}

const LIGHTER_BY = 0.05;

/** The accent for a single colour: in the dark it is mixed with white until it can be read. */
export function accentOf(light: string): Accent {
  const channels = channelsOf(light);
  let dark = light;
  for (let white = 0; accentProblem(dark, 'dark') !== null; white += LIGHTER_BY) {
    dark = hexOf(channels.map((channel) => channel + (255 - channel) * white));
  }
  return { light, dark };
}

function leastContrast(color: string, scheme: Scheme): { contrast: number; ground: string } {
  const { page, other } = ACCENT_GROUNDS[scheme];
  const ground = contrastOf(color, page) < contrastOf(color, other) ? page : other;
  return { contrast: contrastOf(color, ground), ground };
}

function contrastOf(a: string, b: string): number {
  const [bright, dim] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => y - x) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}

function hexOf(channels: readonly number[]): string {
  const text = channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0'));
  return `#${text.join('')}`;
}
