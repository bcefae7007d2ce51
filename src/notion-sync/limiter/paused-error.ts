import type { ErrorFields } from '../../common/errors';
import { PeerUnavailableError } from '../../jobs';

/** Notion wants nothing from anybody for a while: 429, 529, or a Retry-After. Give the task back. */
export class NotionPausedError extends PeerUnavailableError {
  override readonly code = 'notion_paused';
  /** False: the call was not made, or Notion counted it and did nothing. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    options: { retryAfterMs: number; mayHaveArrived: boolean; fields?: ErrorFields },
  ) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}
