/**
 * Writes the JSON Schema of every Bot API call's parameters, as @grammyjs/types describes them, to
 * the file named by the only argument. A program of its own: Jest cannot load the generator.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const target = process.argv[2];
if (target === undefined) throw new Error('usage: generate.mjs FILE');

const methodsFile = createRequire(import.meta.url)
  .resolve('@grammyjs/types')
  .replace(/mod\.js$/, 'methods.d.ts');
const source = ts.createSourceFile(
  methodsFile,
  readFileSync(methodsFile, 'utf8'),
  ts.ScriptTarget.Latest,
  true,
);

/** The interface `Calls`: method name to parameters. A file is a string: an id, a URL, attach://. */
function callsSource() {
  const imports = source.statements
    .filter((statement) => ts.isImportDeclaration(statement))
    .map((statement) => statement.getText().replace('"./', '"@grammyjs/types/'));
  const declared = source.statements.filter(
    (statement) =>
      (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) &&
      statement.modifiers !== undefined,
  );
  const own = declared.map(({ name }) => name.text).join(', ');
  const methods = declared
    .find(({ name }) => name.text === 'ApiMethods')
    .type.members.filter((member) => ts.isMethodSignature(member))
    .map(({ name, parameters }) => `${name.text}: ${parameters[0]?.type.getText() ?? '{}'};`);
  return [
    ...imports,
    `import type { ${own} } from "@grammyjs/types/methods.js";`,
    'type F = string;',
    `export interface Calls { ${methods.join('\n')} }`,
  ].join('\n');
}

mkdirSync(path.join(root, '.tmp'), { recursive: true });
const folder = mkdtempSync(path.join(root, '.tmp', 'telegram-schema-'));
try {
  const file = path.join(folder, 'calls.ts');
  const tsconfig = path.join(folder, 'tsconfig.json');
  writeFileSync(file, callsSource());
  const compilerOptions = {
    strict: true,
    module: 'preserve',
    moduleResolution: 'bundler',
    target: 'ES2022',
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: ['calls.ts'] }));
  const schema = createGenerator({
    path: file,
    tsconfig,
    type: 'Calls',
    topRef: false,
    skipTypeCheck: true,
    jsDoc: 'none',
    additionalProperties: false,
  }).createSchema('Calls');
  // Beside its target: two runs at a time do not meet, and a rename stays on one disk.
  mkdirSync(path.dirname(target), { recursive: true });
  const written = `${target}.${process.pid}`;
  writeFileSync(written, JSON.stringify(schema));
  renameSync(written, target);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
