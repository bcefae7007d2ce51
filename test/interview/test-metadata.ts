import { SystemClock } from '../../src/common/clock';
import { MetadataService } from '../../src/interview';
import { MetadataRepository } from '../../src/interview/metadata/metadata.repository';
import { type DatabasePool, TestDatabase, openPool } from '../support/app-database';
import { addConversation } from '../support/conversations';
import { turnOfLoop } from '../support/until';

/** Sleeps only until other work has run, and records how long it should have slept. */
export class EagerClock extends SystemClock {
  readonly slept: number[] = [];

  override sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    return turnOfLoop();
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
export class TestMetadata extends TestDatabase<SystemClock> {
  readonly waits = new EagerClock();
  readonly rows = new ContestedRepository();
  readonly store: MetadataService;
  chance = (): number => 0.5;

  private constructor(pool: DatabasePool<SystemClock>) {
    super(pool);
    this.store = new MetadataService(this.units, this.rows, this.waits, () => this.chance());
  }

  static async open(): Promise<TestMetadata> {
    return new TestMetadata(await openPool(new SystemClock()));
  }

  /** Clears the recorded waits and log lines, and the test's writer; conversations stay. */
  forget(): void {
    this.waits.slept.length = 0;
    this.log.clear();
    this.rows.afterRead = () => Promise.resolve();
    this.chance = () => 0.5;
  }

  conversation(metadata: unknown = {}): Promise<string> {
    return addConversation(this, { metadata });
  }

  /** Writes without reading the version, and raises the version by one. */
  async overwrite(id: string, metadata: unknown): Promise<void> {
    await this.control.query(
      `update conversation set metadata = $2, metadata_version = metadata_version + 1
       where id = $1`,
      [id, JSON.stringify(metadata)],
    );
  }

  stored(id: string): Promise<StoredMetadata> {
    return this.one<StoredMetadata>(
      'select metadata, metadata_version as version from conversation where id = $1',
      [id],
    );
  }
}
