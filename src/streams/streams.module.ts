import { Module } from '@nestjs/common';
import { LiveReplies } from './live-replies';

@Module({ providers: [LiveReplies], exports: [LiveReplies] })
export class StreamsModule {}
