import type { LoggerService } from '@nestjs/common';

interface Line {
  readonly level: 'log' | 'warn' | 'error';
  readonly text: string;
  /** The class or room that logged it. */
  readonly context: string;
}

/** What an application has logged. */
export class KeptLog implements LoggerService {
  private readonly received: {
    readonly level: Line['level'];
    readonly parts: readonly unknown[];
  }[] = [];

  log(...parts: unknown[]): void {
    this.keep('log', parts);
  }

  warn(...parts: unknown[]): void {
    this.keep('warn', parts);
  }

  error(...parts: unknown[]): void {
    this.keep('error', parts);
  }

  /** Every line, followed by its context in brackets. */
  get lines(): string[] {
    return this.kept.map(lineOf);
  }

  /** Every line of one context. */
  linesOf(context: string): string[] {
    return this.kept.filter((line) => line.context === context).map(lineOf);
  }

  /** The texts of all warnings. */
  get warnings(): string[] {
    return this.kept.filter(({ level }) => level === 'warn').map(({ text }) => text);
  }

  /** The texts of one context's warnings. */
  warningsOf(context: string): string[] {
    const warnings = this.kept.filter((line) => line.level === 'warn' && line.context === context);
    return warnings.map(({ text }) => text);
  }

  /** How many lines have this in them. */
  count(part: string): number {
    return this.lines.filter((line) => line.includes(part)).length;
  }

  /** The same, but not as a part of a longer word. */
  countWords(words: string): number {
    const escaped = words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const pattern = new RegExp(`(?<!\\p{L})${escaped}(?!\\p{L})`, 'u');
    return this.lines.filter((line) => pattern.test(line)).length;
  }

  clear(): void {
    this.received.length = 0;
  }

  private keep(level: Line['level'], parts: readonly unknown[]): void {
    this.received.push({ level, parts });
  }

  /** Made when a test asks for it, because the stacks of many errors take long. */
  private get kept(): Line[] {
    return this.received.map(({ level, parts }) => {
      const shown = parts.map((part) =>
        part instanceof Error ? String(part.stack) : String(part),
      );
      // Nest passes the context last.
      return { level, text: shown.slice(0, -1).join(' '), context: shown.at(-1) ?? '' };
    });
  }
}

function lineOf({ text, context }: Line): string {
  return `${text} [${context}]`;
}
