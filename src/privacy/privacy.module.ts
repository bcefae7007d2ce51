import { Module } from '@nestjs/common';
import { InterviewModule } from '../interview';
import { ErasedFlows } from './erasure';
import { PersonalDataModule } from './personal-data.module';

/** What is stored about a person, beside the interviews that run. */
@Module({
  imports: [InterviewModule, PersonalDataModule],
  providers: [ErasedFlows],
  exports: [ErasedFlows, PersonalDataModule],
})
export class PrivacyModule {}
