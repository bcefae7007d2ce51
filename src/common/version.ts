import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The release, from package.json; the same file in a checkout and in the image. */
export const VERSION: string = (
  JSON.parse(readFileSync(path.join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
    readonly version: string;
  }
).version;
