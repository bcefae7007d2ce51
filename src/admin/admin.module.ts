import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { CandidatesModule } from '../candidates';
import { InterviewModule } from '../interview';
import { InvitationsModule } from '../invitations';
import { AccessModule } from '../access';
import { KnowledgeModule } from '../knowledge';
import { PrivacyModule } from '../privacy';
import { StreamsModule } from '../streams';
import { VacanciesModule } from '../vacancies';
import { AnsweredQuestions } from './answered-questions';
import { AttentionDesk } from './attention-desk';
import { AttentionView } from './attention-view';
import { AttentionController } from './attention.controller';
import { AuditController } from './audit.controller';
import { CommentsController } from './comments.controller';
import { CandidatesController } from './candidates.controller';
import { DecisionsController, InterviewDecisionsController } from './decisions.controller';
import { InterviewActions } from './interview-actions';
import { InterviewActionsController } from './interview-actions.controller';
import { InterviewExport } from './interview-export';
import { InterviewExportsController } from './interview-exports.controller';
import { InterviewTakeoverController } from './interview-takeover.controller';
import { InterviewsController } from './interviews.controller';
import { InvitationImportsController } from './invitation-imports.controller';
import { InvitationsController } from './invitations.controller';
import { KeysController } from './keys.controller';
import { FilesController, VoicesController } from './media.controller';
import { OidcController } from './oidc.controller';
import { OwnRatingFirst } from './own-rating-first';
import { RatingsController } from './ratings.controller';
import { Reach } from './reach';
import { RetentionController } from './retention.controller';
import { SessionController } from './session.controller';
import { SessionView } from './session-view';
import { SignInController } from './sign-in.controller';
import { TeamLinksController } from './team-links.controller';
import { TeamReadingController } from './team-reading.controller';
import { TeamViewsController } from './team-views.controller';
import { UsersController } from './users.controller';
import { VacancySlugs } from './vacancy-slugs';
import { ScorecardsController } from './scorecards.controller';
import { TranscriptsController } from './transcripts.controller';
import { VacanciesController } from './vacancies.controller';
import { VacancyFiles } from './vacancy-files';
import {
  VacancyPreviewsController,
  VacancyVersionsController,
} from './vacancy-versions.controller';
import { VacancyUploadsController } from './vacancy-uploads.controller';

/** The admin API. Expects global Settings, DomainEvents and FailedAttempts, ProblemFilter and BodyPipe. */
@Module({
  imports: [
    AttentionModule,
    CandidatesModule,
    InterviewModule,
    InvitationsModule,
    AccessModule,
    KnowledgeModule,
    PrivacyModule,
    StreamsModule,
    VacanciesModule,
  ],
  providers: [
    AnsweredQuestions,
    AttentionDesk,
    AttentionView,
    InterviewActions,
    InterviewExport,
    OwnRatingFirst,
    Reach,
    SessionView,
    VacancyFiles,
    VacancySlugs,
  ],
  controllers: [
    AttentionController,
    AuditController,
    CandidatesController,
    CommentsController,
    DecisionsController,
    FilesController,
    InterviewActionsController,
    InterviewDecisionsController,
    InterviewExportsController,
    InterviewTakeoverController,
    InterviewsController,
    InvitationImportsController,
    InvitationsController,
    KeysController,
    OidcController,
    RatingsController,
    RetentionController,
    ScorecardsController,
    SessionController,
    SignInController,
    TeamLinksController,
    TeamReadingController,
    TeamViewsController,
    TranscriptsController,
    UsersController,
    VacanciesController,
    VacancyPreviewsController,
    VacancyUploadsController,
    VacancyVersionsController,
    VoicesController,
  ],
})
export class AdminModule {}
