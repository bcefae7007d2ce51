import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Opts } from 'telegraf/types';
import type { Tx } from '../../common/uow';
import {
  DeliveryService,
  type DeliveryPart,
  type OutgoingPart,
  type SendOutcome,
  type SendingChannel,
} from '../../delivery';
import { TelegramAccountRepository } from './account.repository';
import { BotApi } from './api/bot-api';
import { BotApiError, outcomeOf } from './api/bot-api-errors';
import { doneKeyboard } from './texts/texts';
import { formattedParts, wholePart } from './message-format';

const UNREADABLE_MARKUP = /can't parse entities/i;
/** Longer than DELIVERY_TIMEOUT may be: whoever waits bounds the call, not we. */
const TIMEOUT_MS = 400_000;

/** How replies and notices get to Telegram: one `sendMessage` a part. */
@Injectable()
export class TelegramChannel implements SendingChannel, OnModuleInit {
  readonly channel = 'telegram';
  readonly deliversByStoring = false;

  constructor(
    private readonly deliveries: DeliveryService,
    private readonly accounts: TelegramAccountRepository,
    private readonly api: BotApi,
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

  /** HTML, and if Telegram cannot read our markup the same once more without. */
  async send(part: OutgoingPart, signal: AbortSignal): Promise<SendOutcome> {
    const html = await this.sendText(part, { text: part.text, parse_mode: 'HTML' }, signal);
    if (html !== 'unreadable') return html;
    const plain = await this.sendText(part, { text: part.plain }, signal);
    return plain === 'unreadable' ? { kind: 'refused', error: 'status_400' } : plain;
  }

  responds(): Promise<boolean> {
    return this.api.responds();
  }

  private async sendText(
    { chat, isLast, language, isAnswerable }: OutgoingPart,
    text: Pick<Opts<'sendMessage'>, 'text' | 'parse_mode'>,
    signal: AbortSignal,
  ): Promise<SendOutcome | 'unreadable'> {
    const keyboard = isAnswerable ? doneKeyboard(language) : ({ remove_keyboard: true } as const);
    const params: Opts<'sendMessage'> = {
      chat_id: Number(chat),
      ...text,
      link_preview_options: { is_disabled: true },
      ...(isLast ? { reply_markup: keyboard } : {}),
    };
    try {
      const sent = await this.api.call('sendMessage', params, { signal, timeoutMs: TIMEOUT_MS });
      return { kind: 'sent', externalId: String(sent.message_id) };
    } catch (error) {
      if (error instanceof BotApiError)
        return isUnreadable(error) ? 'unreadable' : outcomeOf(error, signal.aborted);
      throw error;
    }
  }
}

function isUnreadable({ failure }: BotApiError): boolean {
  return failure.kind === 'refused' && UNREADABLE_MARKUP.test(failure.description);
}

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
