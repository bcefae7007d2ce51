import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../common/config';
import type { EndedRun } from './schedule.repository';
import type { MarkCause } from './board-schedule';

/** Logs what happens to boards, by the ids of their people; never a name or a task. */
@Injectable()
export class BoardLog {
  private readonly logger = new Logger('NotionSync');
  private readonly isLogging;

  constructor(settings: Settings) {
    this.isLogging = settings.notionSync.isLogging;
  }

  enqueued(cause: MarkCause, userIds: readonly string[]): void {
    if (userIds.length === 0) return;
    const named = userIds.slice(0, MOST_NAMED).join(', ');
    const more = userIds.length - MOST_NAMED;
    this.write(`enqueued (${cause}): ${named}${more > 0 ? ` and ${more} more` : ''}`);
  }

  /** Boards that wait or run already. */
  skipped(cause: MarkCause, count: number): void {
    this.write(`skipped (${cause}): ${count} that wait or run already`);
  }

  dequeued(userId: string, { isTakenOver }: { isTakenOver: boolean }): void {
    this.write(
      `dequeued: ${userId}${isTakenOver ? ', after a run that ended without a result' : ''}`,
    );
  }

  started(userId: string): void {
    this.write(`started: ${userId}`);
  }

  /** The summary of a run. */
  finished(userId: string, { end, ...times }: EndedRun, reruns: number): void {
    const { loaded, processed, updated, dropped, apiCalls } = end.counts;
    this.write(
      `finished: ${userId} ${end.kind}, ready after ${seconds(times.timeToReadyMs)}, ` +
        `waited ${seconds(times.queueWaitMs)}, ran ${seconds(times.runMs)}, reruns ${reruns}, ` +
        `loaded ${loaded}, processed ${processed}, updated ${updated}, dropped ${dropped}, ` +
        `calls ${apiCalls}`,
    );
  }

  /** The board was requested while it ran, or a part of it is left. */
  requeued(userId: string): void {
    this.write(`requeued: ${userId}`);
  }

  /** Logged with any setting, because an operator has to act. */
  refused(userId: string, reason: string): void {
    this.logger.warn(`the board of ${userId} cannot be ranked: ${reason}`);
  }

  private write(line: string): void {
    if (this.isLogging) this.logger.log(line);
  }
}

/** Ids that one line names; for the others it gives the number. */
const MOST_NAMED = 20;

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
