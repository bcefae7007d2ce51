import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the text of a file in `persistence/sql`, for a migration that loads it. */
export function sqlFile(name: string): string {
  return readFileSync(path.join(__dirname, 'sql', name), 'utf8');
}
