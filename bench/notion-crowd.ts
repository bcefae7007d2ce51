/**
 * How long the boards of a thousand people wait for their run when one person never stops editing and
 * the others change theirs every 15 minutes. It uses a fake clock and the real statements.
 */
import { Logger } from '@nestjs/common';
import { openDatabaseAt } from '../test/support/app-database';
import { FakeClock } from '../tools/support/fake-clock';
import { waitsInCrowd } from './lib/notion-crowd';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';

const CROWD = { people: 1000, runs: 1000, runMs: 1000, changeEveryMs: 900_000 } as const;

async function main(): Promise<void> {
  Logger.overrideLogger(false);
  const database = await openBenchDatabase();
  const own = { url: database.url, drop: () => database.close() };
  const db = await openDatabaseAt(own, new FakeClock());
  const waits = await waitsInCrowd(db, CROWD);
  await db.close();
  report(
    'notion-crowd',
    [
      {
        name: 'longest wait over mean wait',
        value: waits.longestMs / waits.meanMs,
        unit: '×',
        bound: { atMost: 2 },
      },
      {
        name: 'the noisy one’s wait',
        value: waits.noisyMeanMs / waits.meanMs,
        unit: 'of the mean',
      },
    ],
    [],
  );
}

void main();
