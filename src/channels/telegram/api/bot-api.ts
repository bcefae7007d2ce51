import { Injectable } from '@nestjs/common';
import { InjectBot } from 'nestjs-telegraf';
import { Telegraf } from 'telegraf';
import type { Opts, Telegram } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import { Settings } from '../../../common/config';
import { Metrics } from '../../../common/metrics';
import { assertOutsideCommit } from '../../../common/uow';
import { BotApiError } from './bot-api-error';
import { BotHealth } from './bot-condition';
import { assertTaken, failureOf, fileFailureOf } from './failure-of';
import { type UploadedFile, formOf } from './upload-form';

/** A method that the library's types know. */
export type Method = keyof Telegram;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Default: TELEGRAM_TIMEOUT. */
  readonly timeoutMs?: number;
  /** Nothing depends on it: its failure says nothing about the bot. */
  readonly isAside?: boolean;
}

/**
 * The Bot API, one HTTP call at a time: bounded, never repeated here, its failures sorted by what a
 * caller can do about them. What it learns about the bot goes to BotHealth.
 */
@Injectable()
export class BotApi {
  private readonly timeoutMs;
  private readonly calls;
  private asking: Promise<boolean> | null = null;

  constructor(
    @InjectBot() private readonly bot: Telegraf,
    private readonly condition: BotHealth,
    private readonly clock: Clock,
    settings: Settings,
    metrics: Metrics,
  ) {
    this.timeoutMs = settings.telegram.timeoutMs;
    this.calls = metrics.counter(
      'telegram_api_calls_total',
      'Calls of the Bot API, by method and how they ended',
      ['method', 'outcome'],
    );
  }

  /** Throws BotApiError, and nothing else. */
  call<M extends Method>(
    method: M,
    params: Opts<M>,
    options: CallOptions = {},
  ): Promise<ReturnType<Telegram[M]>> {
    return this.bounded(method, options, (signal) =>
      // Its types know the signal of a shim only.
      this.bot.telegram.callApi(method, params, { signal: signal as never }),
    );
  }

  /** The same for a method that is newer than the library's types. */
  async callNewer(method: string, params: object, options: CallOptions = {}): Promise<void> {
    await this.call(method as Method, params, options);
  }

  /**
   * The same for a method that takes a file whose pieces are read as the Bot API takes them, none
   * ahead of it: the client library holds a whole file. Throws BotApiError, or what `pieces` throw:
   * the upload is broken off then, and nothing was sent.
   */
  async upload(
    method: Method,
    fields: Readonly<Record<string, string>>,
    file: UploadedFile,
    options: CallOptions = {},
  ): Promise<void> {
    const { token, options: client } = this.bot.telegram;
    const url = new URL(`./bot${token}/${method}`, client.apiRoot);
    const broken = new AbortController();
    const form = formOf(fields, file, (error) => {
      broken.abort(error);
    });
    const { signal = broken.signal } = options;
    const either = AbortSignal.any([signal, broken.signal]);
    try {
      await this.bounded(method, { ...options, signal: either }, async (bound) => {
        const { headers, body } = form;
        const sent = { method: 'POST', headers, body, duplex: 'half', signal: bound } as const;
        await assertTaken(await fetch(url, sent));
      });
    } catch (error) {
      throw broken.signal.aborted ? broken.signal.reason : error;
    }
  }

  /**
   * Whether the Bot API responds to a call that sends nothing. Whoever asks meanwhile shares the
   * call.
   */
  responds(): Promise<boolean> {
    this.asking ??= this.getMe().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  /** The bytes behind a file id. Throws BotApiError. The address holds the token: it stays here. */
  async download(fileId: string, options: CallOptions = {}): Promise<Buffer> {
    const file = await this.call('getFile', { file_id: fileId }, options);
    const { token, options: client } = this.bot.telegram;
    const url = new URL(`./file/bot${token}/${file.file_path ?? ''}`, client.apiRoot);
    return this.bounded('downloadFile', options, async (signal) => {
      const response = await fetch(url, { signal });
      if (response.ok) return Buffer.from(await response.arrayBuffer());
      throw new BotApiError('downloadFile', await fileFailureOf(response));
    });
  }

  private async getMe(): Promise<boolean> {
    try {
      await this.call('getMe', {});
      return true;
    } catch (error) {
      return error instanceof BotApiError && error.failure.kind === 'paused';
    }
  }

  private async bounded<T>(
    method: string,
    { signal, timeoutMs = this.timeoutMs, isAside = false }: CallOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    assertOutsideCommit('telegram');
    const over = new AbortController();
    const settled = new AbortController();
    void this.clock.sleep(timeoutMs, settled.signal).then(() => {
      over.abort();
    });
    const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
    try {
      const answer = await work(either);
      this.calls.inc({ method, outcome: 'ok' });
      this.condition.answered(method);
      return answer;
    } catch (error) {
      const failure = error instanceof BotApiError ? error.failure : failureOf(method, error);
      const isGivenUp = signal?.aborted === true;
      this.calls.inc({ method, outcome: isGivenUp ? 'given_up' : failure.kind });
      if (!isGivenUp && !isAside) this.condition.failed(method, failure);
      throw new BotApiError(method, failure);
    } finally {
      settled.abort();
    }
  }
}
