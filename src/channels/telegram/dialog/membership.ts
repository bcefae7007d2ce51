import { Injectable } from '@nestjs/common';
import { DeliveryService } from '../../../delivery';
import { TelegramAccountRepository } from '../accounts';
import type { UpdateScope } from '../intake/update-scope';

type Chat = Pick<UpdateScope, 'tx' | 'chatId' | 'account'>;

/** A person blocks the bot, or takes its messages again. */
@Injectable()
export class BlockHandler {
  constructor(
    private readonly accounts: TelegramAccountRepository,
    private readonly deliveries: DeliveryService,
  ) {}

  /** The interview pauses, and a recruiter is told; nothing is sent against a closed door. */
  async blocked({ tx, chatId, account }: Chat): Promise<void> {
    await this.accounts.setBlocked(tx, chatId, true);
    if (account.conversationId === null) return;
    await this.deliveries.block(tx, chatOf(chatId), account.conversationId);
  }

  /** The last reply that could not be delivered is on its way again. */
  async unblocked({ tx, chatId, account }: Chat): Promise<void> {
    await this.accounts.setBlocked(tx, chatId, false);
    await this.deliveries.unblock(tx, chatOf(chatId), account.conversationId);
  }
}

function chatOf(chatId: number): { channel: 'telegram'; chat: string } {
  return { channel: 'telegram', chat: String(chatId) };
}
