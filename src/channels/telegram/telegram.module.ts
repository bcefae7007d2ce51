import { type DynamicModule, Module } from '@nestjs/common';
import { TelegrafModule } from 'nestjs-telegraf';
import { CandidatesModule } from '../../candidates';
import { AttentionModule } from '../../attention';
import { BufferModule } from '../../buffer';
import type { Settings } from '../../common/config';
import { DeliverLaneModule, DeliveryModule } from '../../delivery';
import { VacanciesModule } from '../../vacancies';
import { InterviewModule } from '../../interview';
import { PrivacyModule } from '../../privacy';
import { StreamsModule } from '../../streams';
import { JobsModule } from '../../jobs';
import { TelegramAccountRepository } from './accounts';
import { BotApi } from './api/bot-api';
import { BotHealth } from './api/bot-condition';
import { BotPause } from './api/bot-pause';
import { BotIdentity } from './bot-identity';
import { UpdateRouter } from './candidate-updates';
import { TelegramChannel } from './delivery/telegram-sending';
import { Commands } from './dialog/commands';
import { InterviewLookup } from './dialog/finding';
import { ConsentDialog } from './dialog/interview-door';
import { InvitationJoin } from './dialog/joining';
import { BlockHandler } from './dialog/membership';
import { PersonalDataDialog } from './dialog/personal-data-dialog';
import { ButtonHandler } from './dialog/presses';
import { AnswerSending } from './intake/answer-sending';
import { BotReplies } from './intake/answer-settling';
import { BotReplyRepository } from './intake/chat-answers';
import { UpdateBatcher } from './intake/gathered-updates';
import { UpdateRepository } from './intake/inbox';
import { IntakeWorker } from './intake/intake-lane';
import { MyData } from './intake/my-data';
import { PinInput } from './intake/pin-input';
import { DeadUpdates } from './intake/poison';
import { PolledUpdates } from './intake/polled-updates';
import { UnconfirmedAnswers } from './intake/unconfirmed-answers';
import { UpdateHandling } from './intake/update-handling';
import { UpdateIntake } from './intake/update-intake';
import { UpdateScopes } from './intake/update-scope';
import { UpdatesTogether } from './intake/updates-together';
import { WaitingUpdates } from './intake/waiting-updates';
import { AnswerIntake } from './messages/answer-intake';
import { CandidateMessages } from './messages/candidate-messages';
import { ConversationLimits } from './messages/conversation-room';
import { ReadBacks } from './messages/read-backs';
import { TelegramVoices } from './messages/telegram-voices';
import { PinLimits } from './pin-limits';
import { Poller } from './poller';
import { PollerLeaseRepository } from './poller-lease';
import { TypingIndicator } from './progress/reply-signs';
import { TelegramSetup } from './telegram-start';
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
        DeliverLaneModule,
        DeliveryModule,
        VacanciesModule,
        InterviewModule,
        PrivacyModule,
        StreamsModule,
        JobsModule,
      ],
      controllers: [TelegramWebhookController],
      providers: [
        AnswerSending,
        BotReplies,
        BotApi,
        BotHealth,
        BotIdentity,
        BotPause,
        AnswerIntake,
        CandidateMessages,
        UpdateRouter,
        BotReplyRepository,
        Commands,
        InterviewLookup,
        UpdateBatcher,
        UpdateRepository,
        IntakeWorker,
        ConsentDialog,
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
        ConversationLimits,
        ReadBacks,
        TypingIndicator,
        TelegramAccountRepository,
        TelegramChannel,
        TelegramSetup,
        TelegramVoices,
        UnconfirmedAnswers,
        UpdateHandling,
        UpdateIntake,
        UpdateScopes,
        UpdatesTogether,
        WaitingUpdates,
      ],
    };
  }
}
