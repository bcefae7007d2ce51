import { Module } from '@nestjs/common';
import { LiveReplies } from './live-replies';
import { ReplyBroadcast, SignalWithCommit } from './reply-broadcast';
import { ReplyMirrors } from './reply-mirrors';
import { SegmentWriter } from './segment-writer';
import { TypingSigns } from './typing-signs';
import { SegmentRepository } from './segment.repository';

@Module({
  providers: [
    LiveReplies,
    ReplyBroadcast,
    ReplyMirrors,
    SegmentWriter,
    SegmentRepository,
    SignalWithCommit,
    TypingSigns,
  ],
  exports: [LiveReplies, ReplyMirrors, SegmentRepository, TypingSigns],
})
export class StreamsModule {}
