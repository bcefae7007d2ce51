import { Injectable } from '@nestjs/common';
import { InjectBot } from 'nestjs-telegraf';
import { Telegraf } from 'telegraf';
import type { Update } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import type { Tx } from '../../../common/uow';
import type { Language } from '../../../vacancies';
import { Jobs } from '../../../jobs';
import { type TelegramAccount, TelegramAccountRepository } from '../accounts';
import { BotReplyRepository } from './chat-answers';
import type { Incoming } from './incoming';
import { UpdateScopes } from './update-scope';

/** Well within idle_in_transaction_session_timeout: handlers call nobody. */
const HANDLER_MS = 2500;

/** A handler that did not come back; its update is kept for the lane, as after any other error. */
class HandlerLateError extends Error {
  override readonly name = 'HandlerLateError';
}

/** What is left to do when the commit has landed. */
export interface HandledUpdate {
  readonly afterCommit: readonly (() => void)[];
  readonly hasAnswers: boolean;
}

export const NOTHING_HANDLED: HandledUpdate = { afterCommit: [], hasAnswers: false };

/** Runs the handlers of one update inside the commit that stores it. */
@Injectable()
export class UpdateHandling {
  constructor(
    @InjectBot() private readonly bot: Telegraf,
    private readonly scopes: UpdateScopes,
    private readonly accounts: TelegramAccountRepository,
    private readonly answers: BotReplyRepository,
    private readonly tasks: Jobs,
    private readonly clock: Clock,
  ) {}

  /** The first lock of every commit that changes something of a chat. */
  lock(tx: Tx, incoming: Incoming & { kind: 'person' }): Promise<TelegramAccount> {
    return this.accounts.lock(tx, incoming.chatId, languageOf(incoming.languageCode));
  }

  /** The same of an account that is there. */
  lockKnown(tx: Tx, chatId: number): Promise<TelegramAccount | null> {
    return this.accounts.lockKnown(tx, chatId);
  }

  /** The account is there; nothing of it is locked that somebody may hold. */
  ensure(tx: Tx, incoming: Incoming & { kind: 'person' }): Promise<void> {
    return this.accounts.ensure(tx, incoming.chatId, languageOf(incoming.languageCode));
  }

  async handle(
    tx: Tx,
    update: Update,
    account: TelegramAccount,
    pinKey: string | null,
  ): Promise<HandledUpdate> {
    const left: { afterCommit: (() => void)[]; hasAnswers: boolean } = {
      afterCommit: [],
      hasAnswers: false,
    };
    const chatId = account.userId;
    await this.scopes.within(
      update,
      {
        tx,
        chatId,
        account,
        pinKey,
        answer: async (call) => {
          left.hasAnswers = true;
          await this.answers.add(tx, chatId, call);
        },
        afterCommit: (work) => {
          left.afterCommit.push(work);
        },
      },
      () => this.inTime(this.bot.handleUpdate(update)),
    );
    if (left.hasAnswers) await this.makeDue(tx, chatId);
    return left;
  }

  /** A handler that hangs would keep its connection, its locks, and a poller for ever. */
  private async inTime(handling: Promise<void>): Promise<void> {
    const settled = new AbortController();
    const late = this.clock.sleep(HANDLER_MS, settled.signal).then(() => {
      if (!settled.signal.aborted) throw new HandlerLateError('a handler takes too long');
    });
    // Whichever of the two is second says nothing to anybody.
    handling.catch(() => undefined);
    late.catch(() => undefined);
    try {
      await Promise.race([handling, late]);
    } finally {
      settled.abort();
    }
  }

  /** A group or a channel: the bot is for people alone, and says nothing there. */
  async leave(tx: Tx, chatId: number): Promise<HandledUpdate> {
    await this.answers.add(tx, chatId, { method: 'leaveChat', params: { chat_id: chatId } });
    await this.makeDue(tx, chatId);
    return { afterCommit: [], hasAnswers: true };
  }

  async makeDue(tx: Tx, chatId: number): Promise<void> {
    await this.tasks.upsert(tx, { lane: 'intake', key: String(chatId), dueInMs: 0 });
  }
}

/** The bot speaks Russian and English. */
function languageOf(code: string | null): Language {
  return code?.startsWith('ru') === true ? 'ru' : 'en';
}
