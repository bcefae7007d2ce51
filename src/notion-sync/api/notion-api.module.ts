import { Module } from '@nestjs/common';
import { LimiterCondition } from '../limiter/limiter-condition';
import { LimiterMetrics } from '../limiter/limiter-metrics';
import { LimiterRow } from '../limiter/limiter-row';
import { NotionLimiter } from '../limiter/notion-limiter';
import { NotionApi } from './notion-api';
import { NotionCall } from './notion-call';
import { NotionCondition } from './notion-condition';
import { NotionMetrics } from './notion-metrics';
import { NotionRetries } from './notion-retries';

/**
 * Notion, under its rate limit. Expects global Clock, Settings, Metrics, UnitsOfWork and
 * PeerConditions; imported only where NOTION_TOKEN is set.
 */
@Module({
  providers: [
    LimiterCondition,
    LimiterMetrics,
    LimiterRow,
    NotionApi,
    NotionCall,
    NotionCondition,
    NotionLimiter,
    NotionMetrics,
    NotionRetries,
  ],
  exports: [LimiterCondition, NotionApi, NotionLimiter, NotionRetries],
})
export class NotionApiModule {}
