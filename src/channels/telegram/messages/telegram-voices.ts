import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type FetchedMedia, MediaSources } from '../../../interview';
import { BotApi, BotPause } from '../api/bot-api';
import { BotApiError } from '../api/bot-api-errors';

/** Bot API, getFile: up to 20 MB. */
const TOO_BIG = /file is too big/i;
const TIMEOUT_MS = 55_000;

/** Where audio and files are: behind a file id, which the Bot API turns into bytes. */
@Injectable()
export class TelegramVoices implements OnModuleInit {
  readonly channel = 'telegram';

  constructor(
    private readonly sources: MediaSources,
    private readonly api: BotApi,
    private readonly pause: BotPause,
  ) {}

  onModuleInit(): void {
    this.sources.register(this);
  }

  async fetch(reference: string, signal: AbortSignal): Promise<FetchedMedia> {
    const pausedForMs = await this.pause.leftMs();
    if (pausedForMs > 0) return { kind: 'unavailable', retryAfterMs: pausedForMs };
    try {
      const bytes = await this.api.download(reference, { signal, timeoutMs: TIMEOUT_MS });
      return { kind: 'audio', bytes, mimeType: null, fileName: null };
    } catch (error) {
      if (!(error instanceof BotApiError)) throw error;
      if (error.failure.kind === 'paused') await this.pause.begin(error.failure.forMs);
      return outcomeOf(error);
    }
  }
}

function outcomeOf({ failure }: BotApiError): FetchedMedia {
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
