import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '../..');

export interface SchemaSource {
  /** The package whose types the schema is made from. */
  readonly packageName: string;
  /** The script that writes the schema to the file named by its only argument. */
  readonly generator: string;
  /** The cached file's name begins with this. */
  readonly name: string;
}

/**
 * Returns the JSON Schema of a package's types. It is generated once for a version of the package and of
 * the generator, which takes about 10 s, and cached in node_modules/.cache.
 */
export async function schemaFrom({ packageName, generator, name }: SchemaSource): Promise<unknown> {
  const described = path.join(ROOT, 'node_modules', packageName, 'package.json');
  const { version } = JSON.parse(readFileSync(described, 'utf8')) as { version: string };
  const made = createHash('sha256').update(readFileSync(generator)).digest('hex').slice(0, 8);
  const folder = path.join(ROOT, 'node_modules', '.cache', 'colloquy');
  const file = path.join(folder, `${name}-${version}-${made}.json`);
  if (!existsSync(file)) {
    await promisify(execFile)(process.execPath, [generator, file], { cwd: ROOT });
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}
