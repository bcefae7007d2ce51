import { Injectable } from '@nestjs/common';
import type { SendOutcome } from '../../../delivery';
import { BotApi } from '../api/bot-api';
import { BotApiError } from '../api/bot-api-error';
import { outcomeOf } from '../api/send-outcome';
import type { BotCall } from './chat-answers';
import { MyData } from './my-data';

/** How the call ended; `failed`: it could not be made, by a bug, and nothing was sent. */
export type BotReplyOutcome = SendOutcome | { readonly kind: 'failed'; readonly error: unknown };

/** Makes the call of one answer, once. */
@Injectable()
export class AnswerSending {
  constructor(
    private readonly api: BotApi,
    private readonly myData: MyData,
  ) {}

  async send(chatId: number, call: BotCall, signal: AbortSignal): Promise<BotReplyOutcome> {
    try {
      await this.make(chatId, call, signal);
      return { kind: 'sent', externalId: '' };
    } catch (error) {
      if (error instanceof BotApiError) return outcomeOf(error, signal.aborted);
      return { kind: 'failed', error };
    }
  }

  responds(): Promise<boolean> {
    return this.api.responds();
  }

  private async make(chatId: number, call: BotCall, signal: AbortSignal): Promise<void> {
    switch (call.method) {
      case 'sendMyData':
        return this.myData.send(chatId, call.params.candidateId, signal);
      case 'sendMessage':
        await this.api.call(call.method, call.params, { signal });
        return;
      case 'answerCallbackQuery':
        await this.api.call(call.method, call.params, { signal });
        return;
      case 'editMessageReplyMarkup':
        await this.api.call(call.method, call.params, { signal });
        return;
      case 'leaveChat':
        await this.api.call(call.method, call.params, { signal });
        return;
    }
  }
}
