import type { Metrics } from '../../../src/common/metrics';
import { type DatabasePool, openPool } from '../../support/app-database';
import { NotionStub } from '../../../tools/fake-notion/notion-stub';
import { settingsForTests } from '../../support/settings';
import { type Replica, SharedTime } from './limiter/shared-time';

export const TOKEN = 'ntn_secret';

export const TIMEOUT_MS = 5000;

/** The client over real HTTP and a real limiter, on fake time that stands still during a call. */
export class NotionCalls extends SharedTime {
  readonly process: Replica;

  private constructor(
    pool: DatabasePool,
    readonly notion: NotionStub,
  ) {
    super(pool);
    const settings = settingsForTests({
      NOTION_TOKEN: TOKEN,
      NOTION_API_URL: notion.url,
      NOTION_DATA_SOURCE_ID: '0b7a6f0e-8d54-4a2b-9a58-6f7f0c1f2a11',
    });
    this.process = this.replica(settings);
  }

  static override async open(): Promise<NotionCalls> {
    const pool = await openPool();
    return new NotionCalls(pool, await NotionStub.start(pool.clock));
  }

  get api(): Replica['api'] {
    return this.process.api;
  }

  get retries(): Replica['retries'] {
    return this.process.retries;
  }

  override get registry(): Metrics {
    return this.process.metrics;
  }

  override async reset(): Promise<void> {
    this.notion.reset();
    this.log.clear();
    await super.reset();
  }

  /** Lets time pass until `work` has ended. */
  async settled<T>(work: Promise<T>): Promise<T> {
    const [ended] = await this.allSettled([work]);
    return ended as T;
  }

  async allSettled<T>(works: readonly Promise<T>[]): Promise<T[]> {
    const flows = works.map((work) => this.flow(() => work));
    const [ended] = await Promise.all([Promise.all(flows), this.drive()]);
    return ended;
  }

  override async close(): Promise<void> {
    await this.notion.close();
    await super.close();
  }
}
