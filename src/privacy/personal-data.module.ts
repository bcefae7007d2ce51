import { Module } from '@nestjs/common';
import { AccountsModule } from '../candidates';
import { DeliveryModule } from '../delivery';
import { ReviewsModule } from '../notion-sync/reviews';
import { PersistenceModule } from '../persistence';
import { TasksModule } from '../jobs';
import { ErasureRows } from './erasure';
import { ExportRows } from './export';
import { PersonalData } from './personal-data';
import { ReviewRecords } from './review-records';

/** Without a running interview, as commands use it. Expects what its imports expect. */
@Module({
  imports: [AccountsModule, DeliveryModule, PersistenceModule, ReviewsModule, TasksModule],
  providers: [ErasureRows, ExportRows, PersonalData, ReviewRecords],
  exports: [PersonalData],
})
export class PersonalDataModule {}
