import { type DynamicModule, Module } from '@nestjs/common';
import { TelegrafModule } from 'nestjs-telegraf';
import { CandidatesModule } from '../../candidates';
import { AttentionModule } from '../../attention';
import { BufferModule } from '../../buffer';
import type { Settings } from '../../common/config';
import { DeliveryModule } from '../../delivery';
import { VacanciesModule } from '../../vacancies';
import { InterviewModule } from '../../interview';
import { PrivacyModule } from '../../privacy';
import { StreamsModule } from '../../streams';
import { JobsModule } from '../../jobs';
import { TelegramAccountRepository } from './account.repository';
import { BotApi, BotPause } from './api/bot-api';
import { BotHealth } from './api/bot-health';
import { BotRegistration } from './bot-registration';
import { TelegramSetup, UpdateSweep } from './telegram-setup';
import { BotIdentity } from './account';
import { UpdateRouter } from './dialog/update-router';
import { BlockHandler } from './dialog/block-handler';
import { TelegramChannel } from './telegram.channel';
import { Commands, PersonalDataDialog } from './dialog/commands';
import { InterviewLookup } from './dialog/interview-lookup';
import { ConsentDialog } from './dialog/consent-dialog';
import { InterviewEntry, InvitationJoin } from './dialog/invitation-join';
import { ButtonHandler } from './dialog/button-handler';
import { BotReplies, BotReplySender, MyData } from './intake/bot-replies';
import { DeadUpdates, UnconfirmedReplies } from './intake/dead-letters';
import { BotReplyRepository } from './intake/bot-reply.repository';
import { UpdateBatcher } from './intake/update-batcher';
import { UpdateIntake } from './intake/update-intake';
import { ChatBatcher } from './intake/chat-batcher';
import { IntakeWorker } from './intake/intake.worker';
import { UpdateRepository } from './intake/update.repository';
import { PinInput, UpdateHandling, WaitingUpdates } from './intake/update-handling';
import { UpdateScopes } from './intake/update-scopes';
import { PolledUpdates } from './intake/polled-updates';
import { Poller } from './intake/poller';
import { CandidateMessages } from './messages/candidate-messages';
import { ChatInterview } from './messages/chat-interview';
import { MessageDetails } from './messages/message-details';
import { PinLimits } from './intake/pin-limits.repository';
import { PollerLeaseRepository } from './intake/poller-lease.repository';
import { TypingIndicator } from './typing-indicator';
import { TelegramWebhookController } from './webhook.controller';

/** The Telegram channel; imported only where a token is set. */
@Module({})
export class TelegramModule {
  static on({ telegram }: Settings): DynamicModule {
    return {
      module: TelegramModule,
      imports: [
        // Decorators and wiring are the library's; intake and lifecycle are ours.
        TelegrafModule.forRoot({
          token: telegram.token,
          launchOptions: false,
          include: [TelegramModule],
          options: {
            handlerTimeout: Infinity,
            telegram: { apiRoot: telegram.apiRoot, webhookReply: false },
          },
        }),
        CandidatesModule,
        AttentionModule,
        BufferModule,
        DeliveryModule,
        VacanciesModule,
        InterviewModule,
        PrivacyModule,
        StreamsModule,
        JobsModule,
      ],
      controllers: [TelegramWebhookController],
      providers: [
        BotReplySender,
        BotRegistration,
        BotReplies,
        UpdateSweep,
        BotApi,
        BotHealth,
        BotIdentity,
        BotPause,
        CandidateMessages,
        UpdateRouter,
        BotReplyRepository,
        Commands,
        InterviewLookup,
        UpdateBatcher,
        UpdateRepository,
        IntakeWorker,
        ConsentDialog,
        InterviewEntry,
        InvitationJoin,
        BlockHandler,
        MyData,
        PersonalDataDialog,
        PinLimits,
        PinInput,
        DeadUpdates,
        PolledUpdates,
        Poller,
        PollerLeaseRepository,
        ButtonHandler,
        ChatInterview,
        MessageDetails,
        TypingIndicator,
        TelegramAccountRepository,
        TelegramChannel,
        TelegramSetup,
        UnconfirmedReplies,
        UpdateHandling,
        UpdateIntake,
        UpdateScopes,
        ChatBatcher,
        WaitingUpdates,
      ],
    };
  }
}
