import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { JobsModule } from '../jobs';
import { ManagementAccess } from './management-access';
import { DatabaseMetrics } from './database.metrics';
import { DatabaseRepository } from './database.repository';
import { HealthController } from './health.controller';
import { Readiness } from './readiness';

/** Probes, metrics and who may see their details. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false }), JobsModule],
  controllers: [HealthController],
  providers: [DatabaseMetrics, DatabaseRepository, ManagementAccess, Readiness],
})
export class HealthModule {}
