import { Injectable } from '@nestjs/common';
import { DeliveryService } from '../../../delivery';
import { TelegramAccountRepository } from '../account.repository';
import type { UpdateScope } from '../intake/update-scopes';

/** A person blocks or unblocks the bot. */
@Injectable()
export class BlockHandler {
  constructor(
    private readonly accounts: TelegramAccountRepository,
    private readonly deliveries: DeliveryService,
  ) {}

  /** The interview pauses, the attention list gets an item, and nothing is sent. */
  async blocked({ tx, chatId, account }: Chat): Promise<void> {
    await this.accounts.setBlocked(tx, chatId, true);
    if (account.conversationId === null) return;
    await this.deliveries.block(tx, chatOf(chatId), account.conversationId);
  }

  /** The last undelivered reply is sent again. */
  async unblocked({ tx, chatId, account }: Chat): Promise<void> {
    await this.accounts.setBlocked(tx, chatId, false);
    await this.deliveries.unblock(tx, chatOf(chatId), account.conversationId);
  }
}

type Chat = Pick<UpdateScope, 'tx' | 'chatId' | 'account'>;

function chatOf(chatId: number): { channel: 'telegram'; chat: string } {
  return { channel: 'telegram', chat: String(chatId) };
}
