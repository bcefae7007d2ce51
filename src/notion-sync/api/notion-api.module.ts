import { Module } from '@nestjs/common';
import { LimiterHealth } from '../limiter/limiter-condition';
import { LimiterMetrics } from '../limiter/limiter-metrics';
import { LimiterRepository } from '../limiter/limiter-row';
import { NotionLimiter } from '../limiter/notion-limiter';
import { NotionApi } from './notion-api';
import { NotionClient } from './notion-call';
import { NotionHealth } from './notion-condition';
import { NotionMetrics } from './notion-metrics';
import { NotionRetries } from './notion-retries';

/**
 * Notion, under its rate limit. Expects global Clock, Settings, Metrics, UnitOfWorkFactory and
 * PeerHealth; imported only where NOTION_TOKEN is set.
 */
@Module({
  providers: [
    LimiterHealth,
    LimiterMetrics,
    LimiterRepository,
    NotionApi,
    NotionClient,
    NotionHealth,
    NotionLimiter,
    NotionMetrics,
    NotionRetries,
  ],
  exports: [LimiterHealth, NotionApi, NotionLimiter, NotionRetries],
})
export class NotionApiModule {}
