import type { LoggerService } from '@nestjs/common';

/** What an application has logged, as lines. */
export class KeptLog implements LoggerService {
  readonly lines: string[] = [];

  log(...said: unknown[]): void {
    this.keep(said);
  }

  warn(...said: unknown[]): void {
    this.keep(said);
  }

  error(...said: unknown[]): void {
    this.keep(said);
  }

  /** Of the bot alone. */
  get ofTelegram(): string[] {
    return this.lines.filter((line) => line.endsWith(' [Telegram]'));
  }

  /** The last is who says it. */
  private keep(said: readonly unknown[]): void {
    const shown = said.map((part) => (part instanceof Error ? String(part.stack) : String(part)));
    this.lines.push(`${shown.slice(0, -1).join(' ')} [${shown.at(-1) ?? ''}]`);
  }
}
