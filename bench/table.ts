/**
 * Writes what documents say of the stored results: the table in the README, the one in docs/scaling.md,
 * and the chart docs/pictures/growth.svg. It measures nothing; test/bench checks that all are up to date.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { benchDocuments } from './lib/bench-documents';

for (const { file, text } of benchDocuments()) {
  writeFileSync(path.join(__dirname, '..', file), text);
  process.stdout.write(`${file} is up to date\n`);
}
