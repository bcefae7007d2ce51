import { Module } from '@nestjs/common';
import { LiveReplies } from './live-replies';
import { ReplyBroadcast, SignalWithCommit } from './reply-broadcast';
import { ReplyMirrors } from './reply-mirrors';
import { SegmentWriter } from './segment-writer';
import { SegmentRepository } from './segment.repository';

@Module({
  providers: [
    LiveReplies,
    ReplyBroadcast,
    ReplyMirrors,
    SegmentWriter,
    SegmentRepository,
    SignalWithCommit,
  ],
  exports: [LiveReplies, ReplyMirrors, SegmentRepository],
})
export class StreamsModule {}
