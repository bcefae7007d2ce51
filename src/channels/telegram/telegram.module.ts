import { type DynamicModule, Module } from '@nestjs/common';
import { TelegrafModule } from 'nestjs-telegraf';
import { AccountsModule } from '../../candidates';
import { AttentionModule } from '../../attention';
import { BufferModule } from '../../buffer';
import type { Settings } from '../../common/config';
import { DeliverLaneModule, DeliveryModule } from '../../delivery';
import { HiringModule } from '../../vacancies';
import { InterviewModule } from '../../interview';
import { PrivacyModule } from '../../privacy';
import { StreamsModule } from '../../streams';
import { TasksModule } from '../../jobs';
import { TelegramAccounts } from './accounts';
import { BotApi } from './api/bot-api';
import { BotCondition } from './api/bot-condition';
import { BotPause } from './api/bot-pause';
import { BotIdentity } from './bot-identity';
import { CandidateUpdates } from './candidate-updates';
import { TelegramSending } from './delivery/telegram-sending';
import { Commands } from './dialog/commands';
import { Finding } from './dialog/finding';
import { InterviewDoor } from './dialog/interview-door';
import { Joining } from './dialog/joining';
import { Membership } from './dialog/membership';
import { PersonalDataDialog } from './dialog/personal-data-dialog';
import { Presses } from './dialog/presses';
import { AnswerSending } from './intake/answer-sending';
import { AnswerSettling } from './intake/answer-settling';
import { ChatAnswers } from './intake/chat-answers';
import { GatheredUpdates } from './intake/gathered-updates';
import { Inbox } from './intake/inbox';
import { IntakeLane } from './intake/intake-lane';
import { MyData } from './intake/my-data';
import { PinInput } from './intake/pin-input';
import { Poison } from './intake/poison';
import { PolledUpdates } from './intake/polled-updates';
import { UnconfirmedAnswers } from './intake/unconfirmed-answers';
import { UpdateHandling } from './intake/update-handling';
import { UpdateIntake } from './intake/update-intake';
import { UpdateScopes } from './intake/update-scope';
import { UpdatesTogether } from './intake/updates-together';
import { WaitingUpdates } from './intake/waiting-updates';
import { AnswerIntake } from './messages/answer-intake';
import { CandidateMessages } from './messages/candidate-messages';
import { ConversationRoom } from './messages/conversation-room';
import { ReadBacks } from './messages/read-backs';
import { TelegramVoices } from './messages/telegram-voices';
import { PinLimits } from './pin-limits';
import { Poller } from './poller';
import { PollerLease } from './poller-lease';
import { ReplySigns } from './progress/reply-signs';
import { TelegramStart } from './telegram-start';
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
        AccountsModule,
        AttentionModule,
        BufferModule,
        DeliverLaneModule,
        DeliveryModule,
        HiringModule,
        InterviewModule,
        PrivacyModule,
        StreamsModule,
        TasksModule,
      ],
      controllers: [TelegramWebhookController],
      providers: [
        AnswerSending,
        AnswerSettling,
        BotApi,
        BotCondition,
        BotIdentity,
        BotPause,
        AnswerIntake,
        CandidateMessages,
        CandidateUpdates,
        ChatAnswers,
        Commands,
        Finding,
        GatheredUpdates,
        Inbox,
        IntakeLane,
        InterviewDoor,
        Joining,
        Membership,
        MyData,
        PersonalDataDialog,
        PinLimits,
        PinInput,
        Poison,
        PolledUpdates,
        Poller,
        PollerLease,
        Presses,
        ConversationRoom,
        ReadBacks,
        ReplySigns,
        TelegramAccounts,
        TelegramSending,
        TelegramStart,
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
