import { BotIdentity } from './bot-identity';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../../common/config';
import { Interval } from '@nestjs/schedule';
import { InjectBot } from 'nestjs-telegraf';
import { Telegraf } from 'telegraf';
import { Clock } from '../../common/clock';
import { Drain } from '../../common/lifecycle';
import { UnitOfWorkFactory } from '../../common/uow';
import { JobWorker } from '../../jobs';
import { InstanceRepository } from '../../vacancies';
import { BotApi } from './api/bot-api';
import { BotApiError } from './api/bot-api-errors';
import { BotReplyRepository } from './intake/bot-reply.repository';
import { UpdateRepository } from './intake/update.repository';
import { ALLOWED_UPDATES } from './intake/incoming';
import { Poller } from './intake/poller';
import { TypingIndicator } from './typing-indicator';
import { COMMANDS, telegramTextsOf } from './texts/texts';

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
/** Between two looks whether the bot is there: a quiet channel would not notice otherwise. */
const LOOK_MS = 60_000;
const SWEEP_MS = 600_000;
/** Of Telegram to this server at once. */
const WEBHOOK_CONNECTIONS = 40;

/**
 * The channel's life in this process. Nothing of it holds up the start or ends the process: what
 * the Bot API refuses is tried again, ever more slowly, and shown by the readiness probe.
 */
@Injectable()
export class TelegramSetup implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Telegram');
  private readonly stopping = new AbortController();

  constructor(
    @InjectBot() private readonly bot: Telegraf,
    private readonly settings: Settings,
    private readonly identity: BotIdentity,
    private readonly api: BotApi,
    private readonly worker: JobWorker,
    private readonly poller: Poller,
    private readonly signs: TypingIndicator,
    private readonly inbox: UpdateRepository,
    private readonly answers: BotReplyRepository,
    private readonly units: UnitOfWorkFactory,
    private readonly instances: InstanceRepository,
    private readonly drain: Drain,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tameLibrary();
    this.drain.register('intake', 'telegram', async () => {
      this.stopping.abort();
      await this.poller.stop();
    });
    this.drain.register('flows', 'telegram', () => {
      this.signs.stop();
    });
  }

  /** Updates come in from when this process claims jobs: before, it is not serving yet. */
  onApplicationBootstrap(): void {
    this.worker.onStart(() => {
      void this.setUp();
      if (this.settings.telegram.mode === 'polling') this.poller.start();
    });
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      await this.units.run('telegram sweep', (uow) =>
        uow.commit('telegram.sweep', async (tx) => {
          await this.inbox.sweep(tx);
          await this.answers.sweep(tx);
        }),
      );
    } catch {
      this.logger.warn('old updates could not be deleted; they are swept again');
    }
  }

  /** The library's own ideas of starting, stopping and failing, each replaced by ours. */
  private tameLibrary(): void {
    const { botId: id } = this.identity;
    const username = this.settings.telegram.botName;
    // Known from the settings: the first update does not wait for a call.
    this.bot.botInfo = { id, username, ...UNASKED };
    this.bot.stop = () => undefined;
    this.bot.catch((error) => {
      throw error;
    });
  }

  private async setUp(): Promise<void> {
    await this.untilDone(async (signal) => {
      this.bot.botInfo = await this.api.call('getMe', {}, { signal });
    });
    await this.storeName();
    if (this.settings.telegram.mode === 'webhook') {
      await this.untilDone((signal) => this.setWebhook(signal));
    }
    for (const language of ['en', 'ru'] as const) {
      await this.untilDone((signal) => this.setCommands(language, signal));
    }
    await this.look();
  }

  /** Commands make links to the bot with it. A failure is only logged: the next start stores it. */
  private async storeName(): Promise<void> {
    const { username } = this.bot.botInfo ?? {};
    if (this.settings.telegram.botName !== '' || username === undefined || username === '') return;
    try {
      await this.units.run('telegram.name', (uow) =>
        uow.commit('instance.bot', (tx) => this.instances.storeBotName(tx, username)),
      );
    } catch {
      this.logger.warn('the name of the bot could not be stored; set TELEGRAM_BOT_NAME for links');
    }
  }

  private async look(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.clock.sleep(LOOK_MS, signal);
      // BotHealth reports the failure.
      await this.api.call('getMe', {}, { signal }).catch(() => undefined);
    }
  }

  private async setCommands(language: 'en' | 'ru', signal: AbortSignal): Promise<void> {
    const { commands: descriptions } = telegramTextsOf(language);
    const commands = COMMANDS.map((command) => ({ command, description: descriptions[command] }));
    const scope = { type: 'all_private_chats' } as const;
    // Without a language: for everybody whose language has none of its own.
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

  private async untilDone(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = next(retryMs)) {
      try {
        await work(signal);
        return;
      } catch (error) {
        if (!(error instanceof BotApiError)) throw error;
        const { failure } = error;
        // BotHealth reports a failure of the whole bot once.
        if (failure.kind === 'refused' && retryMs === FIRST_RETRY_MS) {
          this.logger.error(`the bot cannot be set up: ${error.message}`);
        }
        const pausedMs = failure.kind === 'paused' ? failure.forMs : 0;
        await this.clock.sleep(Math.max(retryMs, pausedMs), signal);
      }
    }
  }
}

function next(retryMs: number): number {
  return Math.min(LAST_RETRY_MS, retryMs * 2);
}

const UNASKED = {
  is_bot: true,
  first_name: '',
  can_join_groups: false,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
} as const;
