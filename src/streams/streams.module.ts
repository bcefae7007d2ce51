import { Module } from '@nestjs/common';
import { LiveReplies } from './live-replies';
import { ReplyBroadcast, SignalWithCommit } from './reply-broadcast';
import { ReplyMirrors } from './reply-mirrors';
import { SegmentWriter } from './segment-writer';
import { TypingSigns } from './typing-signs';
import { SegmentRepository } from './segment.repository';
import { TeamFeed } from './team-feed';
import { TeamFeedRepository } from './team-feed.repository';
import { TeamPresence } from './team-presence';

@Module({
  providers: [
    LiveReplies,
    ReplyBroadcast,
    ReplyMirrors,
    SegmentWriter,
    SegmentRepository,
    SignalWithCommit,
    TeamFeed,
    TeamFeedRepository,
    TeamPresence,
    TypingSigns,
  ],
  exports: [LiveReplies, ReplyMirrors, SegmentRepository, TeamFeed, TeamPresence, TypingSigns],
})
export class StreamsModule {}
