import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tx } from '../../../common/uow';
import { DeliveryService, type DeliveryPart, type SendingChannel } from '../../../delivery';
import { TelegramAccountRepository } from '../account.repository';
import { formattedParts, wholePart } from '../message-format';

/** Stores what is to be sent, where no bot runs: at the command line. */
@Injectable()
export class TelegramOutbox implements SendingChannel, OnModuleInit {
  readonly channel = 'telegram';
  readonly deliversByStoring = false;

  constructor(
    private readonly deliveries: DeliveryService,
    private readonly accounts: TelegramAccountRepository,
  ) {}

  onModuleInit(): void {
    this.deliveries.register(this);
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

  send(): Promise<never> {
    return Promise.reject(new Error('no message is sent from the command line'));
  }

  responds(): Promise<never> {
    return Promise.reject(new Error('the command line does not ask the Bot API'));
  }
}
