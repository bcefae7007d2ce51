import { Module } from '@nestjs/common';
import { LimiterHealth } from './api/limiter/limiter-health';
import { LimiterMetrics } from './api/limiter/limiter.metrics';
import { LimiterRepository } from './api/limiter/limiter.repository';
import { NotionLimiter } from './api/limiter/notion-limiter';
import { NotionApi } from './api/notion-api';
import { NotionRetries } from './api/notion-calls';
import { NotionClient } from './api/notion-client';
import { NotionHealth, NotionMetrics } from './api/notion-health';
import { BoardInspection } from './doctor/board-inspection';
import { People } from './doctor/people';
import { NotionDoctor } from './doctor/doctor';
import { EnrolmentRepository } from './intake/enrolment.repository';
import { BoardHealth } from './sync/board-health';
import { BoardReader } from './sync/board-reader';
import { BoardSchemas } from './sync/board-schemas';
import { ScheduleRepository } from './sync/schedule.repository';

/**
 * Calls Notion under its rate limit, and reads and inspects boards: for the application and for
 * commands, whose calls wait for the same permits. Nothing here runs by itself. Expects global Clock,
 * Settings, Metrics, UnitOfWorkFactory and PeerHealth; imported only where NOTION_TOKEN is set.
 */
@Module({
  providers: [
    // api: calls and their limits
    LimiterHealth,
    LimiterMetrics,
    LimiterRepository,
    NotionApi,
    NotionClient,
    NotionHealth,
    NotionLimiter,
    NotionMetrics,
    NotionRetries,
    // boards: what a run reads, and what an operator asks about them
    BoardHealth,
    BoardInspection,
    BoardReader,
    BoardSchemas,
    EnrolmentRepository,
    NotionDoctor,
    People,
    ScheduleRepository,
  ],
  exports: [
    BoardHealth,
    BoardInspection,
    BoardReader,
    BoardSchemas,
    EnrolmentRepository,
    LimiterHealth,
    NotionApi,
    NotionDoctor,
    NotionLimiter,
    NotionRetries,
    ScheduleRepository,
  ],
})
export class NotionBoardsModule {}
