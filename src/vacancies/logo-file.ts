import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { LogoFile } from './vacancy';

/** A company's logo beside the vacancy's file. What it is, is told by its content. */

const MAX_LOGO_BYTES = 64 * 1024;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** What may stand before the root element: a declaration, comments, a document type. */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/;

/** The logo, or what is wrong with it in the words of the vacancy's other problems. */
export async function readLogo(folder: string, name: string): Promise<LogoFile | string> {
  try {
    const [root, place] = await Promise.all([realpath(folder), realpath(path.join(folder, name))]);
    const inside = path.relative(root, place);
    if (inside.startsWith('..') || path.isAbsolute(inside)) {
      return "expected a file inside the vacancy's folder";
    }
    const { size } = await stat(place);
    if (size > MAX_LOGO_BYTES) return 'expected a picture of at most 64 kB';
    const content = await readFile(place);
    const mediaType = mediaTypeOf(content);
    if (mediaType === null) return 'expected a PNG, SVG or WebP picture';
    const hash = createHash('sha256').update(content).digest('hex');
    return { name, mediaType, hash, content };
  } catch (error) {
    return reasonOf(error);
  }
}

function mediaTypeOf(content: Buffer): LogoFile['mediaType'] | null {
  if (content.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  const isRiff = content.toString('latin1', 0, 4) === 'RIFF';
  if (isRiff && content.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return SVG.test(content.toString('utf8')) ? 'image/svg+xml' : null;
}

function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'is a folder, not a file';
  return 'cannot be read';
}
