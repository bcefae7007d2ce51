import { Module } from '@nestjs/common';
import { LimiterHealth, LimiterMetrics } from './limiter/limiter-health';
import { LimiterRepository } from './limiter/limiter.repository';
import { NotionLimiter } from './limiter/notion-limiter';
import { NotionApi } from './notion-api';
import { NotionClient } from './notion-client';
import { NotionHealth, NotionMetrics } from './notion-health';
import { NotionRetries } from './notion-calls';

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
