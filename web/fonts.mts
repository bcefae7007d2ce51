/**
 * Makes the page's fonts: Inter for the interface and Source Serif 4 for the interviewer's words, with
 * the weights and characters that the page uses. The packages' own files are twice as large.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import subsetFont from 'subset-font';

const { resolve } = createRequire(import.meta.url);
const DIRECTORY = path.join(import.meta.dirname, '..', '.tmp', 'fonts');
type Range = readonly [number, number];
/** A Russian heading needs no Latin letters, but spaces, digits and these signs. */
const SIGNS: readonly Range[] = [
  [0x20, 0x40],
  [0xa0, 0xa0],
  [0xab, 0xab],
  [0xb7, 0xb7],
  [0xbb, 0xbb],
  [0x2010, 0x2026],
];
/** The letters of the two words in a Russian first view that are not Russian: Colloquy and English. */
const WORDS = Array.from('CEghilnoqsuy', (letter): Range => {
  const code = letter.charCodeAt(0);
  return [code, code];
});
/** Code points, first and last. They are also the `unicode-range`s of styles/fonts.css. */
const CHARACTERS = {
  // The first view has these and the Russian letters, and no others.
  latin: [
    [0x20, 0x7e],
    [0xa0, 0xa0],
    [0xab, 0xab],
    [0xb7, 0xb7],
    [0xbb, 0xbb],
    [0x2010, 0x2026],
    [0x2190, 0x2193],
    [0x2212, 0x2212],
  ],
  'latin-ext': [
    [0xa1, 0xaa],
    [0xac, 0xb6],
    [0xb8, 0xba],
    [0xbc, 0xff],
    [0x131, 0x131],
    [0x152, 0x153],
    [0x2c6, 0x2c6],
    [0x2da, 0x2da],
    [0x2dc, 0x2dc],
    [0x2000, 0x200f],
    [0x2027, 0x206f],
    [0x20ac, 0x20ac],
    [0x2122, 0x2122],
  ],
  signs: SIGNS,
  'signs-and-words': [...SIGNS, ...WORDS],
  russian: [
    [0x401, 0x401],
    [0x410, 0x44f],
    [0x451, 0x451],
    [0x2116, 0x2116],
  ],
  'cyrillic-ext': [
    [0x400, 0x400],
    [0x402, 0x40f],
    [0x450, 0x450],
    [0x452, 0x45f],
    [0x490, 0x491],
    [0x4b0, 0x4b1],
  ],
} satisfies Record<string, readonly Range[]>;
type Script = keyof typeof CHARACTERS;
const FILES: Readonly<Record<string, readonly Script[]>> = {
  inter: ['latin', 'latin-ext', 'signs-and-words', 'russian', 'cyrillic-ext'],
  'source-serif-4': ['latin', 'latin-ext', 'signs', 'russian', 'cyrillic-ext'],
};
const WEIGHTS = { wght: { min: 400, max: 700 } };

/** Writes the files that are missing, as `.tmp/fonts/<family>-<script>.woff2`. */
export async function makeFonts(): Promise<void> {
  await mkdir(DIRECTORY, { recursive: true });
  for (const [family, scripts] of Object.entries(FILES)) {
    for (const script of scripts) {
      const file = path.join(DIRECTORY, `${family}-${script}.woff2`);
      if (!existsSync(file)) await writeFile(file, await fontOf(family, script));
    }
  }
}

async function fontOf(family: string, script: Script): Promise<Uint8Array> {
  const packaged = script === 'russian' || script === 'cyrillic-ext' ? 'cyrillic' : 'latin';
  const source = `@fontsource-variable/${family}/files/${family}-${packaged}-wght-normal.woff2`;
  return subsetFont(await readFile(resolve(source)), textOf(CHARACTERS[script]), {
    targetFormat: 'woff2',
    variationAxes: WEIGHTS,
    // Ligatures and small capitals are not used.
    noLayoutClosure: true,
  });
}

function textOf(ranges: readonly Range[]): string {
  return ranges
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => first + n))
    .map((codePoint) => String.fromCodePoint(codePoint))
    .join('');
}
