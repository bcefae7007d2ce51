import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { DeliveryModule } from '../delivery';
import { ReviewRequestsModule } from '../notion-sync/reviews';
import { InterviewRecordsModule } from '../interview';
import { JobsModule } from '../jobs';
import { AuditRepository } from './audit.repository';
import { ErasureRepository } from './erasure.repository';
import { ExportRepository } from './export.repository';
import { PersonalDataService } from './personal-data.service';
import { ReviewRecords } from './review-records';

/** Without a running interview, as commands use it. Expects what its imports expect. */
@Module({
  imports: [
    CandidatesModule,
    DeliveryModule,
    InterviewRecordsModule,
    ReviewRequestsModule,
    JobsModule,
  ],
  providers: [
    AuditRepository,
    ErasureRepository,
    ExportRepository,
    PersonalDataService,
    ReviewRecords,
  ],
  exports: [AuditRepository, PersonalDataService],
})
export class PersonalDataModule {}
