export { MAX_VOICE_BYTES, type NewVoice } from './voice';
export { VoiceArchive } from './voice-archive';
export { VoiceArchiveModule } from './voice-archive.module';
export { VoiceDelays } from './voice-delays';
export { type Correction, VoiceService } from './voice-intake';
export { VoiceWorker } from './voice-lane';
export { VoiceMetrics } from './voice-metrics';
export { VoiceSettling } from './voice-settling';
export { type FetchedMedia, MediaSources } from './voice-sources';
