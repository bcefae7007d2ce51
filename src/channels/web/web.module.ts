import { Module } from '@nestjs/common';
import { CandidatesModule } from '../../candidates';
import { BufferModule } from '../../buffer';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { VacanciesModule } from '../../vacancies';
import { InterviewModule } from '../../interview';
import { PrivacyModule } from '../../privacy';
import { ReceiptsModule } from '../../scoring';
import { StreamsModule } from '../../streams';
import { JobsModule } from '../../jobs';
import { CandidateLinks } from './candidate-links';
import { ChatController } from './chat/chat.controller';
import { ChatIntake, PendingRequests } from './chat/chat-intake';
import { ReplyStreamer } from './chat/reply-streamer';
import { ConversationController } from './conversation.controller';
import { EndedSessions } from './ended-sessions';
import { EventStreams, EventsController, WatchController } from './events/events.controller';
import { FilesController, VoiceController, Uploads } from './uploads.controller';
import { LogoController, PageController } from './page.controller';
import { PersonalDataController } from './personal-data.controller';
import { SessionCookies, SessionLookup } from './session-access';
import { SessionsController } from './sessions.controller';
import { OpenStreams } from './events/sse-response';
import { WebChannel } from './web.channel';

/** The web channel: the candidate API, the API of the AI SDK, event streams and the page. */
@Module({
  imports: [
    CandidatesModule,
    BufferModule,
    VacanciesModule,
    InterviewModule,
    PrivacyModule,
    ReceiptsModule,
    StreamsModule,
    JobsModule,
  ],
  controllers: [
    SessionsController,
    ConversationController,
    VoiceController,
    FilesController,
    PersonalDataController,
    EventsController,
    WatchController,
    ChatController,
    PageController,
    LogoController,
  ],
  providers: [
    SessionCookies,
    SessionLookup,
    EndedSessions,
    OpenStreams,
    EventStreams,
    CandidateLinks,
    ChatIntake,
    PendingRequests,
    ReplyStreamer,
    WebChannel,
    {
      provide: Uploads,
      inject: [Settings, Clock],
      useFactory: ({ http }: Settings, clock: Clock) =>
        new Uploads({ pace: { clock, minBytesPerSecond: http.uploadMinBytesPerSecond } }),
    },
  ],
})
export class WebModule {}
