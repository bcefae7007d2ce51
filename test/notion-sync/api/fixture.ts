import { Logger } from '@nestjs/common';
import { PeerConditions } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { NotionApi } from '../../../src/notion-sync/api/notion-api';
import { NotionCall } from '../../../src/notion-sync/api/notion-call';
import { NotionCondition } from '../../../src/notion-sync/api/notion-condition';
import { NotionMetrics } from '../../../src/notion-sync/api/notion-metrics';
import { NotionRetries } from '../../../src/notion-sync/api/notion-retries';
import { LimiterMetrics } from '../../../src/notion-sync/limiter/limiter-metrics';
import { LimiterRow } from '../../../src/notion-sync/limiter/limiter-row';
import { NotionLimiter } from '../../../src/notion-sync/limiter/notion-limiter';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { turnOfLoop } from '../../support/model-calls';
import { NotionStub } from '../../support/notion-stub';
import { settingsForTests } from '../../support/settings';

export const TOKEN = 'ntn_secret';

/** The client over real HTTP and a real limiter, on fake time. */
export class ApiFixture {
  readonly logged: string[] = [];

  private constructor(
    readonly db: TestDatabase,
    readonly notion: NotionStub,
    readonly api: NotionApi,
    readonly retries: NotionRetries,
    readonly metrics: Metrics,
    readonly conditions: PeerConditions,
  ) {
    const log = (...words: unknown[]): void => void this.logged.push(words.join(' '));
    Logger.overrideLogger({ log, warn: log, error: log });
  }

  static async open(env: Record<string, string> = {}): Promise<ApiFixture> {
    const db = await openTestDatabase();
    const notion = await NotionStub.start(db.clock);
    const settings = settingsForTests({
      NOTION_TOKEN: TOKEN,
      NOTION_API_URL: notion.url,
      ...env,
    });
    const metrics = new Metrics();
    const conditions = new PeerConditions();
    const row = new LimiterRow(db.clock, settings);
    const limiter = new NotionLimiter(db.units, row, db.clock, new LimiterMetrics(metrics));
    const condition = new NotionCondition(conditions);
    const call = new NotionCall(settings, limiter, condition, new NotionMetrics(metrics), db.clock);
    const retries = new NotionRetries(settings, db.clock);
    return new ApiFixture(db, notion, new NotionApi(call), retries, metrics, conditions);
  }

  async reset(): Promise<void> {
    this.notion.reset();
    this.logged.length = 0;
    await this.db.dataSource.query(
      `update notion_limiter set grants = '{}', paused_until = null, rate = 1,
         recovers_from = null, limited_at = null`,
    );
  }

  /** Lets time pass, a millisecond a turn, until `work` has ended; never a whole timeout of it. */
  async settled<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    void work
      .catch(() => undefined)
      .finally(() => {
        isOver = true;
      });
    while (!isOver) {
      await turnOfLoop();
      this.db.clock.advance(1);
    }
    return work;
  }

  /** The error that `work` ends with. */
  async failure(work: Promise<unknown>): Promise<unknown> {
    const ended = this.settled(work).then(
      () => {
        throw new Error('it succeeded');
      },
      (error: unknown) => error,
    );
    return ended;
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
    await this.db.close();
  }
}
