import { Injectable, Logger } from '@nestjs/common';
import type { ColloquyError } from '../../common/errors';
import { PeerHealth } from '../../common/lifecycle';
import { NotionPausedError } from '../limiter/paused-error';
import { NotionUnauthorizedError, NotionUnavailableError } from './errors';

/**
 * Whether Notion can be reached, by the last thing that it let us know. Shown by the readiness
 * probe as `notion`; it never takes the process out of service.
 */
@Injectable()
export class NotionHealth {
  private readonly logger = new Logger('Notion');
  private trouble: string | null = null;

  constructor(conditions: PeerHealth) {
    conditions.register('notion', () => this.trouble);
  }

  answered(): void {
    if (this.trouble === null) return;
    this.trouble = null;
    this.logger.log('Notion answers again');
  }

  /** A refusal of one call is an answer. */
  failed(error: ColloquyError): void {
    const isTrouble =
      error instanceof NotionUnavailableError ||
      error instanceof NotionUnauthorizedError ||
      error instanceof NotionPausedError;
    if (!isTrouble) {
      this.answered();
      return;
    }
    if (this.trouble === error.message) return;
    this.trouble = error.message;
    this.logger.warn(error.message);
  }
}
