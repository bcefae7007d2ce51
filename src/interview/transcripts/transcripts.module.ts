import { Module } from '@nestjs/common';
import { AccountsModule } from '../../candidates';
import { HiringModule } from '../../vacancies';
import { PersistenceModule } from '../../persistence';
import { ConversationMetadataStore } from '../metadata';
import { TranscriptLines } from './transcript-lines';
import { Transcripts } from './transcripts';

/** Interviews to be read, without anything that runs them. Expects a global Clock and UnitsOfWork. */
@Module({
  imports: [AccountsModule, HiringModule, PersistenceModule],
  providers: [ConversationMetadataStore, TranscriptLines, Transcripts],
  exports: [Transcripts],
})
export class TranscriptsModule {}
