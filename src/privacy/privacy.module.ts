import { Module } from '@nestjs/common';
import { InterviewModule } from '../interview';
import { AuditSweep } from './audit-sweep';
import { ErasedFlows } from './erased-flows';
import { PersonalDataModule } from './personal-data.module';

/** What is stored about a person, beside the interviews that run. */
@Module({
  imports: [InterviewModule, PersonalDataModule],
  providers: [AuditSweep, ErasedFlows],
  exports: [ErasedFlows, PersonalDataModule],
})
export class PrivacyModule {}
