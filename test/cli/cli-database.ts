import { SystemClock } from '../../src/common/clock';
import type { Tx } from '../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { type CliRun, runCli } from '../support/run-cli';

export const clock = new SystemClock();
let opened: TestDatabase<SystemClock> | null = null;

beforeEach(async () => {
  opened = await openTestDatabase(clock);
});

afterEach(() => database().close());

/** The database of the test that runs; calls of `cli` work on it. */
export function database(): TestDatabase<SystemClock> {
  if (opened === null) throw new Error('no test runs');
  return opened;
}

/** Runs `colloquy` with these arguments. `input`: what somebody types. */
export function cli(args: string[], env: Record<string, string> = {}, input = ''): Promise<CliRun> {
  return runCli(args, { DATABASE_URL: database().url, ...env }, input);
}

export function inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database().units.run('test', (uow) => uow.commit('test.commit', work));
}
