import { Module, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../common/config';
import { CandidatesModule } from '../candidates';
import { InterviewModule, InterviewTerms } from '../interview';
import { JobsModule } from '../jobs';
import { AuditSweep, RetentionService } from './retention.service';
import { AuditRepository } from './audit.repository';
import { AuditSubjectRepository } from './audit-subject.repository';
import { CandidateRecordsRepository } from './candidate-records.repository';
import { ErasureRepository } from './erasure.repository';
import { ExportRepository } from './export.repository';
import { PersonalDataService } from './personal-data.service';
import { keptDaysOf, rulesOf } from './retention-policy';
import { RetentionRepository } from './retention.repository';

/** The export, the erasure and the retention of a person's data, and the audit of who read it. */
@Module({
  imports: [CandidatesModule, InterviewModule, JobsModule],
  providers: [
    AuditRepository,
    AuditSubjectRepository,
    AuditSweep,
    CandidateRecordsRepository,
    ErasureRepository,
    ExportRepository,
    PersonalDataService,
    RetentionRepository,
    RetentionService,
  ],
  exports: [
    AuditRepository,
    AuditSubjectRepository,
    AuditSweep,
    CandidateRecordsRepository,
    PersonalDataService,
    RetentionRepository,
    RetentionService,
  ],
})
export class PrivacyModule implements OnModuleInit {
  constructor(
    private readonly terms: InterviewTerms,
    private readonly settings: Settings,
  ) {}

  /** Candidates are told for how long their words are kept. */
  onModuleInit(): void {
    this.terms.kept = keptDaysOf(rulesOf(this.settings.retention));
  }
}
