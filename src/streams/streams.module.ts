import { Module } from '@nestjs/common';
import { LiveReplies } from './live-replies';
import { ReplyBroadcast } from './reply-broadcast';
import { ReplyMirrors } from './reply-mirrors';
import { SegmentWriter } from './segment-writer';
import { Segments } from './segments';
import { StreamMetrics } from './stream-metrics';

@Module({
  providers: [LiveReplies, ReplyBroadcast, ReplyMirrors, SegmentWriter, Segments, StreamMetrics],
  exports: [LiveReplies, ReplyMirrors, Segments],
})
export class StreamsModule {}
