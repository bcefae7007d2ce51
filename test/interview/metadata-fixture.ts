import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { SystemClock } from '../../src/common/clock';
import type { Tx } from '../../src/common/uow';
import { MetadataService } from '../../src/interview';
import { MetadataRepository } from '../../src/interview/metadata/metadata.repository';
import { type TestDatabase, openTestDatabase } from '../support/app-database';

/** Sleeps only until other work has run, and records how long it should have slept. */
export class EagerClock extends SystemClock {
  readonly slept: number[] = [];

  override sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Runs a test's own writer after each read without a lock. */
class ContestedRepository extends MetadataRepository {
  afterRead: (id: string) => Promise<void> = () => Promise.resolve();

  override async find(
    ...given: Parameters<MetadataRepository['find']>
  ): ReturnType<MetadataRepository['find']> {
    const row = await super.find(...given);
    await this.afterRead(given[1]);
    return row;
  }
}

export interface StoredMetadata {
  readonly metadata: unknown;
  readonly version: number;
}

/** The metadata service on a database of its own, with short waits and without randomness. */
export class MetadataFixture {
  readonly clock = new EagerClock();
  readonly rows = new ContestedRepository();
  readonly store: MetadataService;
  /** Lines of the log. */
  readonly lines: string[] = [];
  chance = (): number => 0.5;

  private constructor(readonly db: TestDatabase<SystemClock>) {
    this.store = new MetadataService(db.units, this.rows, this.clock, () => this.chance());
  }

  static async open(): Promise<MetadataFixture> {
    const db = await openTestDatabase(new SystemClock());
    const fixture = new MetadataFixture(db);
    await fixture.sql(
      `insert into vacancy (id, slug, language, title, company, owner, plan, open_token)
       values (gen_random_uuid(), 's', 'en', 't', 'c', '{}', '{}', 'o')`,
    );
    await fixture.sql('insert into candidate (id) values (gen_random_uuid())');
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
      fixture.lines.push(String(line));
    });
    return fixture;
  }

  /** Clears the recorded waits and log lines, and the test's writer; conversations stay. */
  forget(): void {
    this.clock.slept.length = 0;
    this.lines.length = 0;
    this.rows.afterRead = () => Promise.resolve();
    this.chance = () => 0.5;
  }

  async close(): Promise<void> {
    jest.restoreAllMocks();
    await this.db.close();
  }

  async conversation(metadata: unknown = {}): Promise<string> {
    const id = randomUUID();
    await this.sql(
      `insert into conversation
         (id, vacancy_id, candidate_id, language, plan, status, state, metadata)
       select $1, v.id, c.id, 'en', '{}', 'active', '{}', $2 from vacancy v, candidate c`,
      [id, JSON.stringify(metadata)],
    );
    return id;
  }

  /** Writes without reading the version, and raises the version by one. */
  async overwrite(id: string, metadata: unknown): Promise<void> {
    await this.db.control.query(
      `update conversation set metadata = $2, metadata_version = metadata_version + 1
       where id = $1`,
      [id, JSON.stringify(metadata)],
    );
  }

  async stored(id: string): Promise<StoredMetadata> {
    const [row] = await this.sql<StoredMetadata>(
      'select metadata, metadata_version as version from conversation where id = $1',
      [id],
    );
    if (row === undefined) throw new Error(`Conversation ${id} does not exist.`);
    return row;
  }

  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.db.units.run('test', (uow) => uow.commit('test', work));
  }

  sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.db.dataSource.query<Row[]>(text, values);
  }
}
