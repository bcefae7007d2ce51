import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../common/config';
import type { MarkCause } from './board-schedule';
import type { EndedRun } from './board-users';

/** Named in one line; of more, the number is told. */
const MOST_NAMED = 20;

/** What happens to boards, a line each, by the ids of their people; never a name, never a task. */
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
    this.tell(`enqueued (${cause}): ${named}${more > 0 ? ` and ${more} more` : ''}`);
  }

  /** Boards that wait or run already. */
  skipped(cause: MarkCause, count: number): void {
    this.tell(`skipped (${cause}): ${count} that wait or run already`);
  }

  dequeued(userId: string, { isTakenOver }: { isTakenOver: boolean }): void {
    this.tell(`dequeued: ${userId}${isTakenOver ? ', from a run that ended without a word' : ''}`);
  }

  started(userId: string): void {
    this.tell(`started: ${userId}`);
  }

  /** The one line of a run. */
  finished(userId: string, { end, ...times }: EndedRun, reruns: number): void {
    const { loaded, processed, updated, dropped, apiCalls } = end.counts;
    this.tell(
      `finished: ${userId} ${end.kind}, ready after ${seconds(times.timeToReadyMs)}, ` +
        `waited ${seconds(times.queueWaitMs)}, ran ${seconds(times.runMs)}, reruns ${reruns}, ` +
        `loaded ${loaded}, processed ${processed}, updated ${updated}, dropped ${dropped}, ` +
        `calls ${apiCalls}`,
    );
  }

  /** Something asked for the board while it ran, or a part of it is left. */
  requeued(userId: string): void {
    this.tell(`requeued: ${userId}`);
  }

  /** Said whatever the settings are: somebody has to act. */
  refused(userId: string, reason: string): void {
    this.logger.warn(`the board of ${userId} cannot be ranked: ${reason}`);
  }

  private tell(line: string): void {
    if (this.isLogging) this.logger.log(line);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
