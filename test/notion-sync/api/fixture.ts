import { Logger } from '@nestjs/common';
import { PeerHealth } from '../../../src/common/lifecycle';
import type { Metrics } from '../../../src/common/metrics';
import { NotionApi } from '../../../src/notion-sync/api/notion-api';
import { NotionClient } from '../../../src/notion-sync/api/notion-client';
import { NotionHealth, NotionMetrics } from '../../../src/notion-sync/api/notion-health';
import { NotionRetries } from '../../../src/notion-sync/api/notion-calls';
import type { TestDatabase } from '../../support/app-database';
import { NotionStub } from '../../support/notion-stub';
import { settingsForTests } from '../../support/settings';
import { LimiterWorld } from '../limiter/world';

export const TOKEN = 'ntn_secret';

export const TIMEOUT_MS = 5000;

/** The client over real HTTP and a real limiter, on fake time that stands still during a call. */
export class ApiFixture {
  readonly logged: string[] = [];

  private constructor(
    private readonly world: LimiterWorld,
    readonly notion: NotionStub,
    readonly api: NotionApi,
    readonly retries: NotionRetries,
    readonly metrics: Metrics,
    readonly conditions: PeerHealth,
  ) {
    const log = (...words: unknown[]): void => void this.logged.push(words.join(' '));
    Logger.overrideLogger({ log, warn: log, error: log });
  }

  static async open(): Promise<ApiFixture> {
    const world = await LimiterWorld.open();
    const notion = await NotionStub.start(world.clock);
    const settings = settingsForTests({
      NOTION_TOKEN: TOKEN,
      NOTION_API_URL: notion.url,
      NOTION_DATA_SOURCE_ID: '0b7a6f0e-8d54-4a2b-9a58-6f7f0c1f2a11',
    });
    const { limiter, clock, metrics } = world.replica(settings);
    const conditions = new PeerHealth();
    const call = new NotionClient(
      settings,
      limiter,
      new NotionHealth(conditions),
      new NotionMetrics(metrics),
      // The client sleeps only for the timeout of a call; a test moves that time, not `drive`.
      world.clock,
    );
    const retries = new NotionRetries(settings, clock);
    return new ApiFixture(world, notion, new NotionApi(call), retries, metrics, conditions);
  }

  get db(): TestDatabase {
    return this.world.db;
  }

  async reset(): Promise<void> {
    this.notion.reset();
    this.logged.length = 0;
    await this.world.reset();
  }

  /** Lets time pass until `work` has ended. */
  async settled<T>(work: Promise<T>): Promise<T> {
    const [ended] = await this.allSettled([work]);
    return ended as T;
  }

  async allSettled<T>(works: readonly Promise<T>[]): Promise<T[]> {
    const flows = works.map((work) => this.world.flow(() => work));
    const [ended] = await Promise.all([Promise.all(flows), this.world.drive()]);
    return ended;
  }

  /** The error that `work` ends with. */
  failure(work: Promise<unknown>): Promise<unknown> {
    return this.settled(work).then(
      () => {
        throw new Error('the call succeeded; a failure was expected');
      },
      (error: unknown) => error,
    );
  }

  async lines(name: string): Promise<string[]> {
    const { body } = await this.metrics.exposition();
    return body.split('\n').filter((line) => line.startsWith(name));
  }

  async pausedForMs(): Promise<number> {
    const [row] = await this.db.dataSource.query<{ ms: number }[]>(
      `select coalesce(extract(epoch from paused_until - $1)::float8 * 1000, 0) as ms
       from notion_limiter`,
      [this.db.clock.databaseNow()],
    );
    return row?.ms ?? 0;
  }

  async close(): Promise<void> {
    await this.notion.close();
    await this.world.close();
  }
}
