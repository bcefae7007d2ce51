import { Injectable, Logger } from '@nestjs/common';
import { InterviewService } from '../interview';

/** What an erasure took away. */
export interface Erased {
  /** False: nobody was stored under that id, perhaps not any more. */
  readonly isFound: boolean;
  readonly conversations: number;
  /** For ErasedFlows, which is to be told after the commit; they lead to nothing any more. */
  readonly conversationIds: readonly string[];
  /** Lines of transcripts. */
  readonly messages: number;
}

/** The part of an erasure that cannot be in its commit. */
@Injectable()
export class ErasedFlows {
  private readonly logger = new Logger('Privacy');

  constructor(private readonly interviews: InterviewService) {}

  /** Call it after the commit: ends replies that are being written, and whoever reads them. */
  stop({ isFound, conversations, conversationIds, messages }: Erased): void {
    for (const id of conversationIds) this.interviews.stopRunning(id);
    // Nothing that names the person: the log would keep what was erased.
    if (isFound) {
      this.logger.log(
        `erased what was stored about one person: conversations ${String(conversations)}, ` +
          `messages ${String(messages)}`,
      );
    }
  }
}
