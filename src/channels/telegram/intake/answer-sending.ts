import { Injectable } from '@nestjs/common';
import { BotApi } from '../api/bot-api';
import { BotApiError } from '../api/bot-api-error';
import type { AnswerCall } from './chat-answers';
import { MyData } from './my-data';

/**
 * How the call of one answer ended.
 *
 *   sent      done.
 *   refused   it will never be taken.
 *   blocked   the person does not take messages of the bot (403).
 *   paused    the bot sends nothing for so long (429).
 *   away      the Bot API is away as a whole: nothing was sent.
 *   unknown   nobody knows whether it arrived.
 *   failed    it could not be made: nothing was sent.
 */
export type AnswerEnd =
  | { readonly kind: 'sent' | 'blocked' | 'away' | 'unknown' }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'paused'; readonly forMs: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Makes the call of one answer, once. */
@Injectable()
export class AnswerSending {
  constructor(
    private readonly api: BotApi,
    private readonly myData: MyData,
  ) {}

  async send(chatId: number, call: AnswerCall, signal: AbortSignal): Promise<AnswerEnd> {
    try {
      await this.make(chatId, call, signal);
      return { kind: 'sent' };
    } catch (error) {
      return error instanceof BotApiError ? endOf(error) : { kind: 'failed', error };
    }
  }

  private async make(chatId: number, call: AnswerCall, signal: AbortSignal): Promise<void> {
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

function endOf({ failure }: BotApiError): AnswerEnd {
  switch (failure.kind) {
    case 'paused':
      return failure;
    case 'refused':
      // Not its words: they may quote ours.
      return { kind: 'refused', code: failure.code };
    case 'blocked':
    case 'unknown':
      return { kind: failure.kind };
    case 'unauthorized':
    case 'conflict':
    case 'unreachable':
      return { kind: 'away' };
  }
}
