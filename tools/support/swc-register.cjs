/**
 * Lets a plain node process run the TypeScript sources: `node -r ./tools/support/swc-register.cjs
 * program.ts`. For the tools, and for tests that need processes of their own.
 */
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { transformSync } = require('@swc/core');

require('reflect-metadata');

const root = path.resolve(__dirname, '../..');
const options = JSON.parse(readFileSync(path.join(root, '.swcrc'), 'utf8'));

require.extensions['.ts'] = (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  const { code } = transformSync(source, {
    ...options,
    filename,
    swcrc: false,
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};
