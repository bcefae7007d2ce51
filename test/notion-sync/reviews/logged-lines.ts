import type { LoggerService } from '@nestjs/common';

/** Keeps what is logged. */
export class LoggedLines implements LoggerService {
  readonly all: string[] = [];
  readonly warnings: string[] = [];

  log(...words: unknown[]): void {
    this.all.push(words.join(' '));
  }

  warn(...words: unknown[]): void {
    this.all.push(words.join(' '));
    this.warnings.push(String(words[0]));
  }

  error(...words: unknown[]): void {
    this.all.push(words.join(' '));
  }
}
