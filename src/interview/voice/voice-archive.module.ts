import { Module } from '@nestjs/common';
import { VoiceArchive } from './voice-archive';
import { VoiceTable } from './voice-table';

/** What is kept of voices, without the lane that works on them. */
@Module({ providers: [VoiceArchive, VoiceTable], exports: [VoiceArchive, VoiceTable] })
export class VoiceArchiveModule {}
