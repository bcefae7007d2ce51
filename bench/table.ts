/**
 * Writes what documents say of the stored results: the tables in the README, docs/measurements.md and
 * docs/scaling.md, and the chart docs/pictures/growth.svg. It measures nothing; test/bench checks that all are up to date.
 */
import { writeBenchDocuments } from './lib/bench-documents';

for (const file of writeBenchDocuments()) process.stdout.write(`${file} is up to date\n`);
