import { type DynamicModule, Inject, Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CandidatesModule } from '../../candidates';
import { BufferModule } from '../../buffer';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { serverOf } from '../../common/http';
import { VacanciesModule } from '../../vacancies';
import { InterviewModule } from '../../interview';
import { InvitationsModule } from '../../invitations';
import { AccessModule } from '../../access';
import { PrivacyModule } from '../../privacy';
import { StreamsModule } from '../../streams';
import { JobsModule } from '../../jobs';
import { CandidateLinks } from './candidate-links';
import { ChatController } from './chat/chat.controller';
import { ChatIntake, PendingRequests } from './chat/chat-intake';
import { ReplyStreamer } from './chat/reply-streamer';
import { ConversationController } from './conversation.controller';
import { EndedAccess } from './ended-access';
import { EndedSessions } from './ended-sessions';
import { EventsController, WatchController } from './events/events.controller';
import { EventStreams } from './events/event-streams';
import { ImportEventsController } from './events/import-events.controller';
import { ImportStreams } from './events/import-streams';
import { TeamEventsController } from './events/team-events.controller';
import { TeamStreams } from './events/team-streams';
import { FilesController, VoiceController, Uploads } from './uploads.controller';
import { LogoController, PageController } from './page.controller';
import { PersonalDataController } from './personal-data.controller';
import { SessionCookies, SessionLookup } from './session-access';
import { SessionsController } from './sessions.controller';
import { OpenStreams } from './events/sse-response';
import { WebChannelModule } from './web.channel';
import { SLOWEST_BODY, registerWebServer } from './web-server';

const PAGE_DIRECTORY = Symbol('page directory');

/** The web channel: the candidate API, the API of the AI SDK, event streams and the page. */
@Module({
  imports: [
    CandidatesModule,
    BufferModule,
    VacanciesModule,
    InterviewModule,
    InvitationsModule,
    AccessModule,
    PrivacyModule,
    StreamsModule,
    JobsModule,
    WebChannelModule,
  ],
  controllers: [
    SessionsController,
    ConversationController,
    VoiceController,
    FilesController,
    PersonalDataController,
    EventsController,
    WatchController,
    ImportEventsController,
    TeamEventsController,
    ChatController,
    PageController,
    LogoController,
  ],
  providers: [
    SessionCookies,
    SessionLookup,
    EndedAccess,
    EndedSessions,
    OpenStreams,
    EventStreams,
    ImportStreams,
    TeamStreams,
    CandidateLinks,
    ChatIntake,
    PendingRequests,
    ReplyStreamer,
    {
      provide: Uploads,
      inject: [Clock],
      useFactory: (clock: Clock) =>
        new Uploads({ pace: { clock, minBytesPerSecond: SLOWEST_BODY } }),
    },
  ],
})
export class WebModule implements NestModule {
  /** With the folder of the built candidate page. */
  static serving(pageDirectory: string): DynamicModule {
    return {
      module: WebModule,
      providers: [{ provide: PAGE_DIRECTORY, useValue: pageDirectory }],
    };
  }

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    @Inject(PAGE_DIRECTORY) private readonly pageDirectory: string,
    private readonly host: HttpAdapterHost,
  ) {}

  /** Nest's hook before routes are registered: the limit of requests counts only routes that follow. */
  async configure(): Promise<void> {
    const server = serverOf(this.host);
    if (server === null) return;
    const { settings, clock, pageDirectory } = this;
    await registerWebServer(server, { settings, clock, pageDirectory });
  }
}
