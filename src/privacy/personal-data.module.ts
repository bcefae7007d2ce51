import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { DeliveryModule } from '../delivery';
import { ReviewRequestsModule } from '../notion-sync/reviews';
import { PersistenceModule } from '../persistence';
import { JobsModule } from '../jobs';
import { ErasureRepository } from './erasure.repository';
import { ExportRepository } from './export.repository';
import { PersonalDataService } from './personal-data.service';
import { ReviewRecords } from './review-records';

/** Without a running interview, as commands use it. Expects what its imports expect. */
@Module({
  imports: [CandidatesModule, DeliveryModule, PersistenceModule, ReviewRequestsModule, JobsModule],
  providers: [ErasureRepository, ExportRepository, PersonalDataService, ReviewRecords],
  exports: [PersonalDataService],
})
export class PersonalDataModule {}
