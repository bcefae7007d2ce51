import { Injectable, Logger } from '@nestjs/common';

/** What an operator may want to put right; each sentence is told once by this process. */
@Injectable()
export class OnceLogger {
  private readonly logger = new Logger('NotionReviews');
  private readonly told = new Set<string>();

  tell(sentence: string): void {
    if (this.told.has(sentence)) return;
    this.told.add(sentence);
    this.logger.warn(sentence);
  }
}
