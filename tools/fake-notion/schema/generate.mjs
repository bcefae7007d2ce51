/**
 * Writes the JSON Schema of the calls that the test server knows, as @notionhq/client types their
 * parameters (path, query and body together), to the file named by the only argument.
 */
import { writeSchema } from '../../schema/write-schema.mjs';

const OPERATIONS = [
  'getSelf',
  'getUser',
  'listUsers',
  'getDatabase',
  'getDataSource',
  'updateDataSource',
  'queryDataSource',
  'createPage',
  'getPage',
  'updatePage',
  'getPageProperty',
];

const [, , target] = process.argv;
if (target === undefined) throw new Error('usage: generate.mjs FILE');

const typeOf = (operation) => `${operation[0].toUpperCase()}${operation.slice(1)}Parameters`;
const types = OPERATIONS.map(typeOf);
const source = [
  `import type { ${types.join(', ')} } from "@notionhq/client";`,
  `export interface Calls { ${OPERATIONS.map((name) => `${name}: ${typeOf(name)};`).join('\n')} }`,
].join('\n');
writeSchema({ source, type: 'Calls', target });
