import { Module } from '@nestjs/common';
import { VoiceArchive } from './voice.service';
import { VoiceRepository } from './voice.repository';

/** What is kept of voices, without the queue that works on them. */
@Module({ providers: [VoiceArchive, VoiceRepository], exports: [VoiceArchive, VoiceRepository] })
export class VoiceArchiveModule {}
