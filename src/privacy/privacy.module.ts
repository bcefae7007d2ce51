import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { InterviewModule } from '../interview';
import { JobsModule } from '../jobs';
import { AuditSweep, RetentionService } from './retention.service';
import { AuditRepository } from './audit.repository';
import { ErasureRepository } from './erasure.repository';
import { ExportRepository } from './export.repository';
import { PersonalDataService } from './personal-data.service';
import { RetentionRepository } from './retention.repository';

/** The export, the erasure and the retention of a person's data, and the audit of who read it. */
@Module({
  imports: [CandidatesModule, InterviewModule, JobsModule],
  providers: [
    AuditRepository,
    AuditSweep,
    ErasureRepository,
    ExportRepository,
    PersonalDataService,
    RetentionRepository,
    RetentionService,
  ],
  exports: [
    AuditRepository,
    AuditSweep,
    PersonalDataService,
    RetentionRepository,
    RetentionService,
  ],
})
export class PrivacyModule {}
