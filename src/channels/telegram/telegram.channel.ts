import { Injectable } from '@nestjs/common';
import type { Opts } from 'telegraf/types';
import {
  ChannelAdapter,
  type FetchedMedia,
  type OutgoingPart,
  type SendOutcome,
} from '../../channels';
import { TelegramAccountRepository } from './account.repository';
import { BotApi, BotPause } from './api/bot-api';
import { BotApiError, outcomeOf } from './api/bot-api-errors';
import { TelegramOutbox } from './outbox.channel';
import { doneKeyboard } from './texts/texts';

const UNREADABLE_MARKUP = /can't parse entities/i;
/** Longer than DELIVERY_TIMEOUT may be, because the caller bounds the call by its signal. */
const TIMEOUT_MS = 400_000;
/** Bot API, getFile: up to 20 MB. */
const TOO_BIG = /file is too big/i;
const DOWNLOAD_TIMEOUT_MS = 55_000;

/** The channel with a bot: one `sendMessage` per part, and `getFile` for audio and files. */
@Injectable()
@ChannelAdapter()
export class TelegramChannel extends TelegramOutbox {
  override readonly capabilities = { sends: true, holdsMedia: true };

  constructor(
    accounts: TelegramAccountRepository,
    private readonly api: BotApi,
    private readonly pause: BotPause,
  ) {
    super(accounts, true);
  }

  /** As HTML; if Telegram cannot parse the markup, once more as plain text. */
  override async send(part: OutgoingPart, signal: AbortSignal): Promise<SendOutcome> {
    const html = await this.sendText(part, { text: part.text, parse_mode: 'HTML' }, signal);
    if (html !== 'unreadable') return html;
    const plain = await this.sendText(part, { text: part.plain }, signal);
    return plain === 'unreadable' ? { kind: 'refused', error: 'status_400' } : plain;
  }

  override responds(): Promise<boolean> {
    return this.api.responds();
  }

  /** `reference` is a file id, which the Bot API turns into bytes. */
  async fetchMedia(reference: string, signal: AbortSignal): Promise<FetchedMedia> {
    const pausedForMs = await this.pause.leftMs();
    if (pausedForMs > 0) return { kind: 'unavailable', retryAfterMs: pausedForMs };
    try {
      const options = { signal, timeoutMs: DOWNLOAD_TIMEOUT_MS };
      const bytes = await this.api.download(reference, options);
      return { kind: 'bytes', bytes, mimeType: null, fileName: null };
    } catch (error) {
      if (!(error instanceof BotApiError)) throw error;
      if (error.failure.kind === 'paused') await this.pause.begin(error.failure.forMs);
      return mediaFailureOf(error);
    }
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

function mediaFailureOf({ failure }: BotApiError): FetchedMedia {
  switch (failure.kind) {
    case 'refused':
      return { kind: TOO_BIG.test(failure.description) ? 'too_large' : 'gone' };
    case 'blocked':
      return { kind: 'gone' };
    case 'paused':
      return { kind: 'unavailable', retryAfterMs: failure.forMs };
    case 'unauthorized':
    case 'conflict':
    case 'unreachable':
    case 'server_error':
    case 'unknown':
      return { kind: 'unavailable' };
  }
}
