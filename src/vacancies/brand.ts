import type { Accent, LogoFile } from './vacancy';
import { sha256 } from '../common/ids';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * A company's brand on the candidate's page: its accent colour and its logo.
 *
 * The accent is the colour of links, marks and buttons. So it has to be readable on the page, and the
 * text of a button on it, by the contrast that WCAG 2 defines.
 */

/** WCAG 2, level AA, for text. */
const LEAST_CONTRAST = 4.5;

/**
 * The backgrounds of the accent in each scheme: the page, and the text on a button
 * (web/src/styles/tokens.css).
 */
export const ACCENT_BACKGROUNDS = {
  light: { page: '#f5f2ea', other: '#ffffff' },
  dark: { page: '#161512', other: '#1f1e1a' },
} as const;

type Scheme = keyof Accent;

/** Null when the colour can be read in this scheme; otherwise what is wrong and what helps. */
export function accentProblem(color: string, scheme: Scheme): string | null {
  const { contrast, background } = leastContrast(color, scheme);
  if (contrast >= LEAST_CONTRAST) return null;
  const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
  const help = scheme === 'light' ? 'a darker' : 'a lighter';
  return (
    `expected a contrast of at least ${String(LEAST_CONTRAST)} to 1 with ${background} of the ` +
    `${scheme} page, but ${color} has ${shown} to 1; choose ${help} colour`
  );
}

const LIGHTER_BY = 0.05;

/** The accent for a single colour: for the dark scheme it is mixed with white until it can be read. */
export function accentOf(light: string): Accent {
  const channels = channelsOf(light);
  let dark = light;
  for (let white = 0; accentProblem(dark, 'dark') !== null; white += LIGHTER_BY) {
    dark = hexOf(channels.map((channel) => channel + (255 - channel) * white));
  }
  return { light, dark };
}

function leastContrast(color: string, scheme: Scheme): { contrast: number; background: string } {
  const { page, other } = ACCENT_BACKGROUNDS[scheme];
  const background = contrastOf(color, page) < contrastOf(color, other) ? page : other;
  return { contrast: contrastOf(color, background), background };
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

export const MAX_LOGO_BYTES = 64 * 1024;
const TOO_LARGE = `expected a picture of at most ${String(MAX_LOGO_BYTES / 1024)} kB`;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** What may stand before the root element, by how it begins and ends. */
const BEFORE_ROOT = [
  ['<?xml', '?>'],
  ['<!--', '-->'],
  ['<!DOCTYPE', '>'],
] as const;
const SVG_ROOT = /^<svg[\s>]/;

/**
 * The logo beside the vacancy's file, or what is wrong with it in the words of the vacancy's other
 * problems. Its content tells its type.
 */
export async function readLogo(folder: string, name: string): Promise<LogoFile | string> {
  try {
    const [root, place] = await Promise.all([realpath(folder), realpath(path.join(folder, name))]);
    const inside = path.relative(root, place);
    if (inside.startsWith('..') || path.isAbsolute(inside)) {
      return "expected a file inside the vacancy's folder";
    }
    const { size } = await stat(place);
    return size > MAX_LOGO_BYTES ? TOO_LARGE : logoFrom(await readFile(place), name);
  } catch (error) {
    return reasonOf(error);
  }
}

/** A logo from its content, or what is wrong with it. */
export function logoFrom(content: Buffer, name: string): LogoFile | string {
  if (content.length > MAX_LOGO_BYTES) return TOO_LARGE;
  const mediaType = mediaTypeOf(content);
  if (mediaType === null) return 'expected a PNG, SVG or WebP picture';
  return { name, mediaType, hash: sha256(content), content };
}

function mediaTypeOf(content: Buffer): LogoFile['mediaType'] | null {
  if (content.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  const isRiff = content.toString('latin1', 0, 4) === 'RIFF';
  if (isRiff && content.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return isSvg(content.toString('utf8')) ? 'image/svg+xml' : null;
}

/** Each character is read once, whatever the file holds: one expression for all of it takes exponential time. */
function isSvg(text: string): boolean {
  const blank = /\s*/y;
  const pastBlank = (from: number): number => {
    blank.lastIndex = from;
    blank.test(text);
    return blank.lastIndex;
  };
  for (let at = pastBlank(0); ;) {
    const part = BEFORE_ROOT.find(([begin]) => text.startsWith(begin, at));
    if (part === undefined) return SVG_ROOT.test(text.slice(at, at + '<svg '.length));
    const [begin, end] = part;
    const endAt = text.indexOf(end, at + begin.length);
    if (endAt === -1) return false;
    at = pastBlank(endAt + end.length);
  }
}

function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'is a folder, not a file';
  return 'cannot be read';
}
