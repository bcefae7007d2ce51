import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectBot } from 'nestjs-telegraf';
import { Telegraf } from 'telegraf';
import type { Opts, Telegram } from 'telegraf/types';
import { Clock, withTimeLimit } from '../../../common/clock';
import { outgoingAgent, outgoingFetch } from '../../../common/http';
import { Settings } from '../../../common/config';
import { Metrics } from '../../../common/metrics';
import { step } from '../../../common/tracing';
import { assertOutsideCommit, UnitOfWorkFactory } from '../../../common/uow';
import { BotApiError, assertTaken, failureOf, fileFailureOf } from './bot-api-errors';
import { BotHealth } from './bot-health';
import { ChannelLimiterRepository } from '../../../delivery';

/**
 * The client of the Bot API. Each call is one HTTP request with a time limit and no retry; failures are
 * classified by what a caller can do about them, and reported to BotHealth.
 */
@Injectable()
export class BotApi {
  private readonly timeoutMs;
  private readonly calls;
  private checking: Promise<boolean> | null = null;

  constructor(
    @InjectBot() private readonly bot: Telegraf,
    private readonly health: BotHealth,
    private readonly clock: Clock,
    settings: Settings,
    metrics: Metrics,
  ) {
    this.timeoutMs = settings.telegram.timeoutMs;
    // Set here, because the library ignores the option for an http address.
    const { options } = bot.telegram;
    options.agent = outgoingAgent(options.apiRoot);
    options.attachmentAgent = options.agent;
    this.calls = metrics.counter(
      'telegram_api_calls_total',
      'Calls to the Bot API by method and outcome',
      ['method', 'outcome'],
    );
  }

  /** Throws only BotApiError. */
  call<M extends Method>(
    method: M,
    params: Opts<M>,
    options: CallOptions = {},
  ): Promise<ReturnType<Telegram[M]>> {
    return this.bounded(method, options, (signal) =>
      // The library's types know only the signal of a polyfill.
      this.bot.telegram.callApi(method, params, { signal: signal as never }),
    );
  }

  /** The same for a method that is newer than the library's types. */
  async callNewer(method: string, params: object, options: CallOptions = {}): Promise<void> {
    await this.call(method as Method, params, options);
  }

  /**
   * The same for a method with a file, whose pieces are read only as fast as the Bot API takes them;
   * the client library would hold the whole file in memory. Throws BotApiError, or what `pieces`
   * throw: then the upload is aborted and nothing is sent.
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
        await assertTaken(await outgoingFetch(url, sent));
      });
    } catch (error) {
      throw broken.signal.aborted ? broken.signal.reason : error;
    }
  }

  /** Whether the Bot API responds to a call that sends nothing. Callers at the same time share it. */
  responds(): Promise<boolean> {
    this.checking ??= this.getMe().finally(() => {
      this.checking = null;
    });
    return this.checking;
  }

  /** The bytes of a file id. Throws BotApiError. The address contains the token, so it is not shown. */
  async download(fileId: string, options: CallOptions = {}): Promise<Buffer> {
    const file = await this.call('getFile', { file_id: fileId }, options);
    const { token, options: client } = this.bot.telegram;
    const url = new URL(`./file/bot${token}/${file.file_path ?? ''}`, client.apiRoot);
    return this.bounded('downloadFile', options, async (signal) => {
      const response = await outgoingFetch(url, { signal });
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
    { signal, timeoutMs = this.timeoutMs, isIgnoredByHealth = false }: CallOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    assertOutsideCommit('telegram');
    try {
      const result = await step({ name: `telegram ${method}`, kind: 'client' }, () =>
        withTimeLimit(this.clock, timeoutMs, work, signal),
      );
      this.calls.inc({ method, outcome: 'ok' });
      this.health.responded(method);
      return result;
    } catch (error) {
      const failure = error instanceof BotApiError ? error.failure : failureOf(method, error);
      const isGivenUp = signal?.aborted === true;
      this.calls.inc({ method, outcome: isGivenUp ? 'given_up' : failure.kind });
      if (!isGivenUp && !isIgnoredByHealth) this.health.failed(method, failure);
      throw new BotApiError(method, failure);
    }
  }
}

/** A method that the library's types know. */
export type Method = keyof Telegram;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Default: TELEGRAM_TIMEOUT. */
  readonly timeoutMs?: number;
  /** Its failure does not count as a problem of the bot. */
  readonly isIgnoredByHealth?: boolean;
}

export interface UploadedFile {
  readonly field: string;
  readonly name: string;
  readonly mimeType: string;
  readonly pieces: AsyncIterable<string>;
}

interface Form {
  readonly headers: Readonly<Record<string, string>>;
  /** Reads each piece of the file only when it is needed. */
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/**
 * A multipart form of some fields and one file at its end. Names are our constants. `onError` gets the
 * error that the file's pieces threw; the form is incomplete then.
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

const CHANNEL = 'telegram';

/**
 * The pause that Telegram asks for (429). It concerns the whole bot, so typing, drafts and files share
 * it with deliveries: `channel_limiter`, which all replicas read.
 */
@Injectable()
export class BotPause {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly limiter: ChannelLimiterRepository,
  ) {}

  /** Milliseconds until it ends; 0 without a pause. */
  leftMs(): Promise<number> {
    return this.units.run('telegram.pause', (uow) =>
      uow.commitOne('telegram.paused', (tx) => this.limiter.pausedForMs(tx, CHANNEL)),
    );
  }

  begin(forMs: number): Promise<void> {
    return this.units.run('telegram.pause', (uow) =>
      uow.commitOne('telegram.pause', (tx) => this.limiter.pause(tx, CHANNEL, forMs)),
    );
  }
}
