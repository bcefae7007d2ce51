import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression, Interval } from '@nestjs/schedule';
import { WebSessionRepository } from '../../candidates';
import { describeError } from '../../common/errors';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import type { SseResponse } from './events/sse-response';
import { SessionLookup } from './session-access';

const CHECK_MS = 2000;
/** Sessions that one statement checks. */
const LOOK_UP = 1000;
/** Rows that one statement of the sweep deletes, and statements of one run. */
const BATCH = 1000;
const MAX_BATCHES = 20;

interface OpenStream {
  readonly sessionToken: string;
  /** Sent last: why nothing more comes. */
  readonly lastFrames: string;
}

/**
 * Ends the open streams of sessions that have ended, with a last event. Each replica checks every 2 s
 * which sessions of its streams have ended, because nothing is committed when a session expires. Rows
 * of expired sessions are deleted.
 */
@Injectable()
export class EndedSessions {
  private readonly logger = new Logger('Sessions');
  private readonly streams = new Map<SseResponse, OpenStream>();
  private isChecking = false;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly sessions: WebSessionRepository,
    private readonly lookup: SessionLookup,
  ) {}

  /** Ends one session in the caller's commit, and after it the session's streams of this process. */
  async end(
    tx: Tx,
    { conversationId, sessionToken }: { conversationId: string; sessionToken: string },
  ): Promise<void> {
    await this.sessions.end(tx, sessionToken);
    tx.afterCommit(() => {
      this.lookup.forget([conversationId]);
      this.endStreams(new Set([sessionToken]));
    });
  }

  /** From now on the stream ends with its session. */
  endWithSession(response: SseResponse, stream: OpenStream): void {
    this.streams.set(response, stream);
  }

  /** While the database cannot be reached no stream ends; the next check asks again. */
  @Interval(CHECK_MS)
  async checkOnSchedule(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      await this.closeStreams();
    } catch (error) {
      this.logger.debug(
        `could not check the sessions of open streams, retrying: ${describeError(error)}`,
      );
    } finally {
      this.isChecking = false;
    }
  }

  /** Ends the streams of sessions that have ended. */
  async closeStreams(): Promise<void> {
    for (const response of this.streams.keys()) {
      if (response.isClosed) this.streams.delete(response);
    }
    const tokens = new Set([...this.streams.values()].map(({ sessionToken }) => sessionToken));
    const all = [...tokens];
    for (let from = 0; from < all.length; from += LOOK_UP) {
      const some = all.slice(from, from + LOOK_UP);
      const ended = await this.units.run('session', (uow) =>
        uow.commitOne('session.list_ended', (tx) => this.sessions.listEnded(tx, some)),
      );
      this.endStreams(new Set(ended));
    }
  }

  @Cron(CronExpression.EVERY_10_MINUTES)
  async sweepOnSchedule(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.logger.warn(
        `could not delete expired sessions, trying again in 10 minutes: ${describeError(error)}`,
      );
    }
  }

  /** Deletes rows of expired sessions, at most 20,000 in one run; returns how many. */
  async sweep(): Promise<number> {
    return this.units.run('session.sweep', async (uow) => {
      let deleted = 0;
      for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
        const count = await uow.commitOne('session.sweep', (tx) =>
          this.sessions.sweepExpired(tx, BATCH),
        );
        deleted += count;
        if (count < BATCH) break;
      }
      return deleted;
    });
  }

  private endStreams(ended: ReadonlySet<string>): void {
    if (ended.size === 0) return;
    for (const [response, { sessionToken, lastFrames }] of this.streams) {
      if (!ended.has(sessionToken)) continue;
      this.streams.delete(response);
      response.write(lastFrames);
      response.end();
    }
  }
}
