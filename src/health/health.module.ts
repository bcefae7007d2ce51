import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { AttentionModule } from '../attention';
import { serverOf } from '../common/http';
import { Metrics } from '../common/metrics';
import { JobsModule } from '../jobs';
import { LlmModule } from '../llm';
import { ManagementAccess, measureRequests } from './management-access';
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
export class HealthModule implements OnModuleInit {
  constructor(
    private readonly access: ManagementAccess,
    private readonly metrics: Metrics,
    private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server = serverOf(this.host);
    if (server === null) return;
    measureRequests(server, this.metrics);
    this.access.protect(server);
  }
}
