import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression, Interval } from '@nestjs/schedule';
import { WebSessionRepository } from '../../candidates';
import { describeError } from '../../common/errors';
import { UnitOfWorkFactory } from '../../common/uow';
import type { SseResponse } from './events/sse-response';

const CHECK_MS = 2000;
/** Sessions that one statement looks up. */
const LOOK_UP = 1000;
/** Rows that one statement of the sweep deletes, and statements of one pass. */
const BATCH = 1000;
const MAX_BATCHES = 20;

interface OpenStream {
  readonly sessionToken: string;
  /** Tells the client why nothing more comes. */
  readonly lastFrames: string;
}

/**
 * What follows when a candidate's session ends. Its open streams end with a last event, on whichever
 * replica they are: each replica asks every 2 s which sessions of its streams have ended, because
 * nothing is committed when a session only expires. Rows of expired sessions are deleted.
 */
@Injectable()
export class EndedSessions {
  private readonly logger = new Logger('Sessions');
  private readonly streams = new Map<SseResponse, OpenStream>();
  private isChecking = false;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly sessions: WebSessionRepository,
  ) {}

  /** From now on the stream ends with its session. */
  endWithSession(response: SseResponse, stream: OpenStream): void {
    this.streams.set(response, stream);
  }

  /** A database that is away says nothing about a session: it is asked again. */
  @Interval(CHECK_MS)
  async checkOnSchedule(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      await this.closeStreams();
    } catch (error) {
      this.logger.debug(`sessions of open streams were not looked up: ${describeError(error)}`);
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
      this.end(new Set(ended));
    }
  }

  /** Ends the streams that are open here with this session: it has just ended. */
  closeStreamsOf(sessionToken: string): void {
    this.end(new Set([sessionToken]));
  }

  @Cron(CronExpression.EVERY_10_MINUTES)
  async sweepOnSchedule(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.logger.warn(`the sweep of expired sessions failed: ${describeError(error)}`);
    }
  }

  /** Deletes rows of expired sessions, at most 20,000 in one pass; returns how many. */
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

  private end(ended: ReadonlySet<string>): void {
    if (ended.size === 0) return;
    for (const [response, { sessionToken, lastFrames }] of this.streams) {
      if (!ended.has(sessionToken)) continue;
      this.streams.delete(response);
      response.write(lastFrames);
      response.end();
    }
  }
}
