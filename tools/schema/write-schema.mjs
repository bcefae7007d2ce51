/**
 * Writes the JSON Schema of a TypeScript interface to a file. It is called by scripts that run in their
 * own process, because Jest cannot load the generator.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

const root = fileURLToPath(new URL('../../', import.meta.url));

const COMPILER_OPTIONS = {
  strict: true,
  module: 'preserve',
  moduleResolution: 'bundler',
  target: 'ES2022',
  skipLibCheck: true,
  types: [],
};

/** `source` declares the exported interface `type`; the schema refuses additional properties. */
export function writeSchema({ source, type, target }) {
  mkdirSync(path.join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(path.join(root, '.tmp', 'schema-'));
  try {
    const file = path.join(folder, 'calls.ts');
    const tsconfig = path.join(folder, 'tsconfig.json');
    writeFileSync(file, source);
    writeFileSync(
      tsconfig,
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['calls.ts'] }),
    );
    const schema = createGenerator({
      path: file,
      tsconfig,
      type,
      topRef: false,
      skipTypeCheck: true,
      jsDoc: 'none',
      additionalProperties: false,
    }).createSchema(type);
    // A temporary name in the same folder: two runs at a time write different files, and the rename is atomic.
    mkdirSync(path.dirname(target), { recursive: true });
    const written = `${target}.${process.pid}`;
    writeFileSync(written, JSON.stringify(schema));
    renameSync(written, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
