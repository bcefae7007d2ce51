import { type CallSubject, NotionPausedError, errorOf, isOverload } from './errors';
import { ColloquyError, describeError } from '../../common/errors';
import { Client } from '@notionhq/client';
import { Injectable, Logger } from '@nestjs/common';
import { Clock, withTimeLimit } from '../../common/clock';
import { Settings } from '../../common/config';
import { loadOutgoing, outgoingFetch } from '../../common/http';
import { NotionLimiter, type Permit, type PermitHolder } from './limiter/notion-limiter';
import { step } from '../../common/tracing';
import { NotionHealth, NotionMetrics } from './notion-health';

/** The version that this code was written for: data sources, `in_trash`. */
const VERSION = '2025-09-03';
/** Our timeout also covers the body and aborts the request; the client library's does neither. */
const NEVER_MS = 2 ** 31 - 1;

/** One HTTP call to Notion: with a permit and a time limit, without retry, its failure classified. */
@Injectable()
export class NotionClient {
  private readonly logger = new Logger('Notion');
  private readonly settings;
  /**
   * The client behind `outgoingFetch` is loaded at its first use. Between a permit and its call that takes
   * too long: the call would arrive that much later than it was counted.
   */
  private readonly loaded = loadOutgoing();

  constructor(
    settings: Settings,
    private readonly limiter: NotionLimiter,
    private readonly health: NotionHealth,
    private readonly metrics: NotionMetrics,
    private readonly clock: Clock,
  ) {
    this.settings = settings.notion;
  }

  /**
   * Throws an error of src/notion-sync/api/errors.ts, NotionPausedError, LeaseLostError,
   * or the reason of the holder's signal; an aborted call may have arrived.
   */
  async run<T>(
    holder: PermitHolder,
    subject: CallSubject,
    work: (client: Client) => Promise<T>,
  ): Promise<T> {
    await this.loaded;
    return this.limiter.whenPermitted(holder, (permit) =>
      this.counted(subject, () => this.sorted(permit, holder, subject, work)),
    );
  }

  private async counted<T>(subject: CallSubject, work: () => Promise<T>): Promise<T> {
    const startedMs = this.clock.monotonicMs();
    let outcome = 'aborted';
    try {
      const result = await step({ name: `notion ${subject.endpoint}`, kind: 'client' }, work);
      outcome = 'ok';
      return result;
    } catch (error) {
      if (error instanceof ColloquyError) outcome = error.code;
      throw error;
    } finally {
      this.metrics.ended(subject, outcome, this.clock.monotonicMs() - startedMs);
    }
  }

  private async sorted<T>(
    permit: Permit,
    { signal }: PermitHolder,
    subject: CallSubject,
    work: (client: Client) => Promise<T>,
  ): Promise<T> {
    try {
      const result = await withTimeLimit(
        this.clock,
        this.settings.timeoutMs,
        (limited) => work(this.clientWith(limited)),
        signal,
      );
      this.health.responded();
      return result;
    } catch (cause) {
      signal?.throwIfAborted();
      const error = errorOf(cause, subject, this.clock.now());
      this.health.failed(error);
      if (error instanceof NotionPausedError) await this.obey(permit, error);
      throw error;
    }
  }

  private clientWith(signal: AbortSignal): Client {
    return new Client({
      auth: this.settings.token,
      baseUrl: this.settings.apiUrl,
      notionVersion: VERSION,
      timeoutMs: NEVER_MS,
      retry: false,
      // The library's log lines contain the request.
      logger: () => undefined,
      fetch: (url, { method = 'GET', headers = {}, body } = {}) =>
        outgoingFetch(url, { method, headers, body: body ?? null, signal }),
    });
  }

  /** Stores the pause for all replicas; if that fails, at least this caller gets the error. */
  private async obey(permit: Permit, error: NotionPausedError): Promise<void> {
    const { status, reason } = error.fields;
    const isLimit = typeof status === 'number' && isOverload(status);
    if (isLimit) this.metrics.rateLimited(typeof reason === 'string' ? reason : null);
    const forMs = error.retryAfterMs ?? 0;
    try {
      await (isLimit ? this.limiter.slowDown(permit, forMs) : this.limiter.pause(forMs));
    } catch (failure) {
      this.logger.warn(
        `the pause that Notion asked for could not be stored for the other replicas: ${describeError(failure)}`,
      );
    }
  }
}
