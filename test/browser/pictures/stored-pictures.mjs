/**
 * Compares a picture with the stored one. Smoothed edges may differ, and a few pixels more: anything that
 * has moved, changed its size or its colour is more than that.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { fileOf } from './chosen.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const STORED = fileURLToPath(new URL('stored', import.meta.url));
const FAILED = path.join(ROOT, '.data', 'pictures');
/** How far the colours of a pixel may be apart, from 0 to 1. */
const COLOUR_TOLERANCE = 0.2;
const PIXELS_TOLERATED = 100;

/** Null if the picture is like the stored one; otherwise what is wrong, and where to see it. */
export function difference(picture, png) {
  const file = path.join(STORED, fileOf(picture));
  if (!fs.existsSync(file)) return keep(picture, png, `${relative(file)} does not exist`);
  const [stored, taken] = [PNG.sync.read(fs.readFileSync(file)), PNG.sync.read(png)];
  const { width, height } = stored;
  if (taken.width !== width || taken.height !== height) {
    return keep(picture, png, `${taken.width}x${taken.height} in place of ${width}x${height}`);
  }
  const changed = new PNG({ width, height });
  const count = pixelmatch(stored.data, taken.data, changed.data, width, height, {
    threshold: COLOUR_TOLERANCE,
  });
  if (count <= PIXELS_TOLERATED) return null;
  const differing = path.join(FAILED, fileOf(picture).replace('.png', '-difference.png'));
  const message = keep(picture, png, `${count} pixels differ from ${relative(file)}`);
  fs.writeFileSync(differing, PNG.sync.write(changed));
  return `${message} and ${relative(differing)}`;
}

/** Stores the picture, unless the stored one is like it. Returns whether it was stored. */
export function accept(picture, png) {
  if (difference(picture, png) === null) return false;
  fs.mkdirSync(STORED, { recursive: true });
  fs.writeFileSync(path.join(STORED, fileOf(picture)), small(png));
  return true;
}

/** The same picture in a fifth less: large areas of one colour pack best without a filter. */
export function small(png) {
  const options = { colorType: 2, filterType: 0, deflateLevel: 9, deflateStrategy: 0 };
  return PNG.sync.write(PNG.sync.read(png), options);
}

function keep(picture, png, message) {
  fs.mkdirSync(FAILED, { recursive: true });
  const file = path.join(FAILED, fileOf(picture));
  fs.writeFileSync(file, png);
  return `${message}; see ${relative(file)}`;
}

function relative(file) {
  return path.relative(ROOT, file);
}
