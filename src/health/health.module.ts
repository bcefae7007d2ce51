import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { AttentionModule } from '../attention';
import { JobsModule } from '../jobs';
import { LlmModule } from '../llm';
import { ManagementAccess } from './management-access';
import { DatabaseMetrics } from './database.metrics';
import { DatabaseRepository } from './database.repository';
import { FailingModel } from './failing-model';
import { HealthController } from './health.controller';
import { Readiness } from './readiness';

/** Probes, metrics and who may see their details. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false }), AttentionModule, JobsModule, LlmModule],
  controllers: [HealthController],
  providers: [DatabaseMetrics, DatabaseRepository, FailingModel, ManagementAccess, Readiness],
})
export class HealthModule {}
