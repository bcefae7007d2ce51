/**
 * Writes the JSON Schema of every Bot API call's parameters, as @grammyjs/types describes them, to
 * the file named by the only argument. It runs in its own process, because Jest cannot load the
 * generator.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import ts from 'typescript';
import { writeSchema } from '../../schema/write-schema.mjs';

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

writeSchema({ source: callsSource(), type: 'Calls', target });
