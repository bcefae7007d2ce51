import { type DynamicModule, Module } from '@nestjs/common';
import type { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';
import {
  type Channel,
  ChannelAdapter,
  type DeliveryPart,
  type OutgoingPart,
  type SendOutcome,
} from '../../channels';
import { telegramLink } from '../../vacancies';
import { JobsModule } from '../../jobs';
import { TelegramAccountRepository } from './account.repository';
import { BotReplyRepository } from './intake/bot-reply.repository';
import { DeadUpdates, UnconfirmedReplies } from './intake/dead-letters';
import { UpdateRepository } from './intake/update.repository';
import { formattedParts, wholePart } from './message-format';
import { telegramTextsOf } from './texts/texts';

declare module '../channel' {
  interface ChannelNames {
    telegram: true;
  }
}

/**
 * The channel in a process without a bot. On: replies are stored for a bot that runs elsewhere, as in
 * commands. Off: replies are only shown on the page.
 */
@ChannelAdapter()
export class TelegramOutbox implements Channel {
  readonly name = 'telegram';
  readonly capabilities: Channel['capabilities'] = { sends: true, holdsMedia: false };

  constructor(
    private readonly accounts: TelegramAccountRepository,
    readonly isOn: boolean,
  ) {}

  quietMs({ debounceMs }: Settings['buffer']): number {
    return debounceMs;
  }

  parts(text: string): readonly DeliveryPart[] {
    return formattedParts(text);
  }

  wholePart(text: string): DeliveryPart {
    return wholePart(text);
  }

  chatOf(tx: Tx, conversationId: string): Promise<string | null> {
    return this.accounts.chatOf(tx, conversationId);
  }

  /** The person has opened another interview since: what they write reaches only that one. */
  async headingOf(tx: Tx, conversationId: string, chat: string): Promise<string | null> {
    const interview = await this.accounts.findNotOpen(tx, conversationId, chat);
    if (interview === null) return null;
    const { language, title, company, botName } = interview;
    const link = botName === null ? null : telegramLink(botName, conversationId);
    return telegramTextsOf(language).notOpenHere({ title, company, link });
  }

  linkTo(token: string, { telegram: { botName } }: Settings): string | null {
    return botName === '' ? null : telegramLink(botName, token);
  }

  /** Sends nothing. Not called in practice: a process without a bot claims no deliveries. */
  send(_part: OutgoingPart, _signal: AbortSignal): Promise<SendOutcome> {
    return Promise.resolve({ kind: 'not_sent', error: 'no_bot' });
  }

  responds(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

const REPLAYS = [BotReplyRepository, DeadUpdates, UnconfirmedReplies, UpdateRepository];

/** The channel without a bot. On, it also replays attention items, for the bot that runs elsewhere. */
@Module({})
export class TelegramOutboxModule {
  static with({ isOn }: { isOn: boolean }): DynamicModule {
    const outbox = {
      provide: TelegramOutbox,
      inject: [TelegramAccountRepository],
      useFactory: (accounts: TelegramAccountRepository) => new TelegramOutbox(accounts, isOn),
    };
    return {
      module: TelegramOutboxModule,
      imports: [JobsModule],
      providers: [TelegramAccountRepository, outbox, ...(isOn ? REPLAYS : [])],
    };
  }
}
