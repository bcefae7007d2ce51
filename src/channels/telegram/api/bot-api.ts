import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectBot } from 'nestjs-telegraf';
import { Telegraf } from 'telegraf';
import type { Opts, Telegram } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import { Settings } from '../../../common/config';
import { Metrics } from '../../../common/metrics';
import { assertOutsideCommit, UnitOfWorkFactory } from '../../../common/uow';
import { BotApiError, assertTaken, failureOf, fileFailureOf } from './bot-api-errors';
import { BotHealth } from './bot-health';
import { ChannelLimiterRepository } from '../../../delivery';

export interface UploadedFile {
  readonly field: string;
  readonly name: string;
  readonly mimeType: string;
  readonly pieces: AsyncIterable<string>;
}

interface Form {
  readonly headers: Readonly<Record<string, string>>;
  /** Reads a piece of the file when it is asked for one. */
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/**
 * A multipart form of some fields and, at its end, one file. Names are constants of ours. `onError`
 * learns what the file's pieces threw: the form has no end then.
 */
export function formOf(
  fields: Readonly<Record<string, string>>,
  { field, name, mimeType, pieces }: UploadedFile,
  onError: (error: unknown) => void,
): Form {
  const boundary = randomUUID();
  const partOf = (disposition: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  async function* body(): AsyncGenerator<Buffer, void, undefined> {
    const texts = Object.entries(fields).map(
      ([key, value]) => `${partOf(`name="${key}"`)}\r\n${value}\r\n`,
    );
    const head = partOf(`name="${field}"; filename="${name}"`);
    yield Buffer.from(`${texts.join('')}${head}content-type: ${mimeType}\r\n\r\n`);
    try {
      for await (const piece of pieces) yield Buffer.from(piece);
    } catch (error) {
      onError(error);
      throw error;
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body: body() };
}

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

const CHANNEL = 'telegram';

/**
 * The pause that Telegram asks for (429) concerns the whole bot, so typing, drafts and files obey
 * and set the same one as deliveries: `channel_limiter`, which all replicas read.
 */
@Injectable()
export class BotPause {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly limiter: ChannelLimiterRepository,
  ) {}

  /** What is left of it in milliseconds; 0 without one. */
  leftMs(): Promise<number> {
    return this.units.run('bot pause', (uow) =>
      uow.commitOne('telegram.paused', (tx) => this.limiter.pausedForMs(tx, CHANNEL)),
    );
  }

  begin(forMs: number): Promise<void> {
    return this.units.run('bot pause', (uow) =>
      uow.commitOne('telegram.pause', (tx) => this.limiter.pause(tx, CHANNEL, forMs)),
    );
  }
}
