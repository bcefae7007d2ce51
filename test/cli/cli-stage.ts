import { SystemClock } from '../../src/common/clock';
import type { Tx } from '../../src/common/uow';
import { VacancyRepository } from '../../src/vacancies';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { type CliRun, runCli } from '../support/run-cli';

/** A database for each test, and commands that work on it; registers its own hooks. */
export class CliStage {
  readonly clock = new SystemClock();
  readonly vacancies = new VacancyRepository(this.clock);
  private opened: TestDatabase<SystemClock> | null = null;

  constructor() {
    beforeEach(async () => {
      this.opened = await openTestDatabase(this.clock);
    });
    afterEach(() => this.database.close());
  }

  get database(): TestDatabase<SystemClock> {
    if (this.opened === null) throw new Error('no test runs');
    return this.opened;
  }

  /** `input`: what somebody types. */
  run(name: string, args: string[], env: Record<string, string> = {}, input = ''): Promise<CliRun> {
    return runCli(name, args, { DATABASE_URL: this.database.url, ...env }, input);
  }

  inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.units.run('test', (uow) => uow.commit('test.commit', work));
  }
}
