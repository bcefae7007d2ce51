export { Transcripts } from './transcripts';
export { TranscriptsModule } from './transcripts.module';
