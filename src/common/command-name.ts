import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * How an operator calls the command: a checkout has the file `colloquy`, and the image has the command on
 * its PATH. Never `npx`, which outside of the checkout asks the public registry for a package of that name.
 */
export const COMMAND: string = existsSync(path.join(__dirname, '..', '..', 'colloquy'))
  ? './colloquy'
  : 'colloquy';
