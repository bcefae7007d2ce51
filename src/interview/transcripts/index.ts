export { TranscriptService } from './transcripts';
export { TranscriptsModule } from './transcripts.module';
