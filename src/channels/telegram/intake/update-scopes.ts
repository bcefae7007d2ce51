import type { Update } from 'telegraf/types';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../common/uow';
import type { Context } from 'telegraf';
import type { TelegramAccount } from '../account.repository';
import type { BotCall } from './bot-reply.repository';

/**
 * Gives handlers their scope by update, because the library creates the context of an update itself.
 */
@Injectable()
export class UpdateScopes {
  private readonly scopes = new WeakMap<Update, UpdateScope>();

  async within(update: Update, scope: UpdateScope, work: () => Promise<void>): Promise<void> {
    this.scopes.set(update, scope);
    try {
      await work();
    } finally {
      this.scopes.delete(update);
    }
  }

  of(context: Context): UpdateScope {
    const scope = this.scopes.get(context.update);
    if (scope === undefined) throw new Error('an update is being handled outside its commit');
    return scope;
  }
}

/** What a handler may use; all of it belongs to the commit that marks the update as handled. */
export interface UpdateScope {
  readonly tx: Tx;
  readonly chatId: number;
  /** Locked. */
  readonly account: TelegramAccount;
  /** The key of the text if it reads as a PIN; computed before the commit, because that is slow. */
  readonly pinKey: string | null;
  /** Adds a reply of the bot, sent after the commit in the order of these calls. */
  reply(call: BotCall): Promise<void>;
}
