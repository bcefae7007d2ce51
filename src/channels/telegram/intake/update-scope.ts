import { Injectable } from '@nestjs/common';
import type { Context } from 'telegraf';
import type { Update } from 'telegraf/types';
import type { Tx } from '../../../common/uow';
import type { TelegramAccount } from '../accounts';
import type { BotCall } from './chat-answers';

/** What handles one update may use: all of it belongs to the one commit that stores the update. */
export interface UpdateScope {
  readonly tx: Tx;
  readonly chatId: number;
  /** Locked. */
  readonly account: TelegramAccount;
  /** The key of the text as a PIN, if it reads as one; made before the commit, because it is slow. */
  readonly pinKey: string | null;
  /** Adds to what the chat is told after the commit, in this order. */
  answer(call: BotCall): Promise<void>;
  /** After the commit and only then. */
  afterCommit(work: () => void): void;
}

/**
 * Hands the scope to handlers: the library makes the context of an update by itself, and a context
 * of our own would not get past it.
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
