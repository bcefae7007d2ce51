import { Injectable, Logger } from '@nestjs/common';
import { InjectBot } from 'nestjs-telegraf';
import { Telegraf } from 'telegraf';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { describeError } from '../../common/errors';
import { retryUntilDone } from '../../common/lifecycle';
import { UnitOfWorkFactory } from '../../common/uow';
import { InstanceRepository } from '../../vacancies';
import { TelegramAccountRepository } from './account.repository';
import { BotApi } from './api/bot-api';
import { BotApiError } from './api/bot-api-errors';
import { otherBotOutcomes } from './api/bot-check';
import { BotIdentity } from './account';
import { ALLOWED_UPDATES } from './intake/update-handling';
import { COMMANDS, telegramTextsOf } from './texts/texts';

/**
 * Registers the bot with Telegram: its name, webhook and commands. A call that the Bot API refuses is
 * tried again with growing pauses; the readiness probe shows the failure.
 */
@Injectable()
export class BotRegistration {
  private readonly logger = new Logger('Telegram');

  constructor(
    @InjectBot() private readonly bot: Telegraf,
    private readonly identity: BotIdentity,
    private readonly settings: Settings,
    private readonly api: BotApi,
    private readonly units: UnitOfWorkFactory,
    private readonly instances: InstanceRepository,
    private readonly accounts: TelegramAccountRepository,
    private readonly clock: Clock,
  ) {
    // Known from the settings, so the first update does not wait for a call.
    bot.botInfo = { id: identity.botId, username: settings.telegram.botName, ...DEFAULT_BOT };
    // Starting, stopping and failing are ours, not the library's.
    bot.stop = () => undefined;
    bot.catch((error) => {
      throw error;
    });
  }

  /** Registers the bot, then checks once a minute that it can be reached, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.untilDone(signal, async () => {
      this.bot.botInfo = await this.api.call('getMe', {}, { signal });
    });
    await this.storeName();
    await this.warnOfOtherBots();
    if (this.settings.telegram.mode === 'webhook') {
      await this.untilDone(signal, () => this.setWebhook(signal));
    }
    for (const language of ['en', 'ru'] as const) {
      await this.untilDone(signal, () => this.setCommands(language, signal));
    }
    while (!signal.aborted) {
      await this.clock.sleep(CHECK_MS, signal);
      // BotHealth reports the failure.
      await this.api.call('getMe', {}, { signal }).catch(() => undefined);
    }
  }

  /** Commands use it for links to the bot. A failure is only logged: the next start stores it. */
  private async storeName(): Promise<void> {
    const { username } = this.bot.botInfo ?? {};
    if (this.settings.telegram.botName !== '' || username === undefined || username === '') return;
    try {
      await this.units.run('telegram.name', (uow) =>
        uow.commit('instance.bot', (tx) => this.instances.storeBotName(tx, username)),
      );
    } catch (error) {
      this.logger.warn(
        `the name of the bot could not be stored; set TELEGRAM_BOT_NAME for links: ${describeError(error)}`,
      );
    }
  }

  /** A token of another bot than before works, but its bot cannot write to the people of the other. */
  private async warnOfOtherBots(): Promise<void> {
    try {
      const others = await this.units.run('telegram.bots', (uow) =>
        uow.commitOne('telegram.bots', (tx) =>
          this.accounts.listOtherBots(tx, this.identity.botId),
        ),
      );
      const name = `@${this.bot.botInfo?.username ?? ''}`;
      for (const { sentence } of otherBotOutcomes(others, name)) this.logger.warn(sentence);
    } catch (error) {
      this.logger.warn(`the bots of stored people could not be read: ${describeError(error)}`);
    }
  }

  private async setCommands(language: 'en' | 'ru', signal: AbortSignal): Promise<void> {
    const { commands: descriptions } = telegramTextsOf(language);
    const commands = COMMANDS.map((command) => ({ command, description: descriptions[command] }));
    const scope = { type: 'all_private_chats' } as const;
    // Without a language code they are for everybody whose language has no commands of its own.
    const of = language === 'en' ? {} : { language_code: language };
    await this.api.call('setMyCommands', { commands, scope, ...of }, { signal });
  }

  private async setWebhook(signal: AbortSignal): Promise<void> {
    const { publicUrl } = this.settings.http;
    await this.api.call(
      'setWebhook',
      {
        url: `${publicUrl}/webhooks/telegram`,
        secret_token: this.settings.telegram.webhookSecret,
        allowed_updates: ALLOWED_UPDATES,
        max_connections: WEBHOOK_CONNECTIONS,
      },
      { signal },
    );
  }

  private untilDone(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    return retryUntilDone(this.clock, signal, work, (error, isFirst) => {
      if (!(error instanceof BotApiError)) throw error;
      const { failure } = error;
      // BotHealth reports a failure of the whole bot once.
      if (failure.kind === 'refused' && isFirst) {
        this.logger.error(`the bot cannot be set up: ${error.message}`);
      }
      return failure.kind === 'paused' ? failure.forMs : 0;
    });
  }
}

/** How often `getMe` is called: without messages, nothing else shows that the Bot API does not respond. */
const CHECK_MS = 60_000;
/** Connections that Telegram may open to the webhook at once. */
const WEBHOOK_CONNECTIONS = 40;

/** What `getMe` returns in addition to id and name. */
const DEFAULT_BOT = {
  is_bot: true,
  first_name: '',
  can_join_groups: false,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
} as const;
