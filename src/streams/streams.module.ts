import { Module } from '@nestjs/common';
import { LiveReplies } from './live-replies';
import { ReplyBroadcast } from './reply-broadcast';
import { ReplyMirrors } from './reply-mirrors';
import { SegmentWriter } from './segment-writer';
import { SegmentRepository } from './segment.repository';
import { StreamMetrics } from './stream.metrics';

@Module({
  providers: [
    LiveReplies,
    ReplyBroadcast,
    ReplyMirrors,
    SegmentWriter,
    SegmentRepository,
    StreamMetrics,
  ],
  exports: [LiveReplies, ReplyMirrors, SegmentRepository],
})
export class StreamsModule {}
