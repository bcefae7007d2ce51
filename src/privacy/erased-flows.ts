import { Injectable, Logger } from '@nestjs/common';

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

/** The log line of an erasure, written after its commit. */
@Injectable()
export class ErasedFlows {
  private readonly logger = new Logger('Privacy');

  /** Call it after the commit. */
  stop({ isFound, conversations, messages }: Erased): void {
    // Nothing that names the person: the log would keep what was erased.
    if (isFound) {
      this.logger.log(
        `erased what was stored about one person: conversations ${String(conversations)}, ` +
          `messages ${String(messages)}`,
      );
    }
  }
}
