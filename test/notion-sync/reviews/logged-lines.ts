import type { LoggerService } from '@nestjs/common';

/** Keeps what is logged; of warnings, those that an operator gets about reviews. */
export class LoggedLines implements LoggerService {
  readonly all: string[] = [];
  readonly warnings: string[] = [];

  log(...words: unknown[]): void {
    this.all.push(words.join(' '));
  }

  warn(...words: unknown[]): void {
    this.all.push(words.join(' '));
    if (words.at(-1) === 'NotionReviews') this.warnings.push(String(words[0]));
  }

  error(...words: unknown[]): void {
    this.all.push(words.join(' '));
  }
}
