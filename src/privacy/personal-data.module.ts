import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery';
import { PersistenceModule } from '../persistence';
import { TasksModule } from '../tasks';
import { ErasureRows } from './erasure';
import { ExportRows } from './export';
import { PersonalData } from './personal-data';

/** Without a running interview, as commands use it. Expects what its imports expect. */
@Module({
  imports: [DeliveryModule, PersistenceModule, TasksModule],
  providers: [ErasureRows, ExportRows, PersonalData],
  exports: [PersonalData],
})
export class PersonalDataModule {}
