import type { LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';

const BOOT_NOISE = new Set([
  'InstanceLoader',
  'NestFactory',
  'NestApplication',
  'RouterExplorer',
  'RoutesResolver',
]);

/**
 * Nest's log lines through pino: one JSON object a line, or readable lines for a terminal. Lines
 * are written by code from ids, codes and counts; bodies, links and candidates' words never are.
 */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(options: { readonly level: string; readonly isPretty: boolean }) {
    const base = { level: options.level, base: { pid: process.pid } };
    this.pino = options.isPretty
      ? pino(base, pretty({ sync: true, ignore: 'pid', translateTime: 'HH:MM:ss' }))
      : pino(base, pino.destination({ sync: true }));
  }

  log(message: unknown, context?: string): void {
    this.write(isBootNoise(context) ? 'debug' : 'info', message, context);
  }

  warn(message: unknown, context?: string): void {
    this.write('warn', message, context);
  }

  debug(message: unknown, context?: string): void {
    this.write('debug', message, context);
  }

  verbose(message: unknown, context?: string): void {
    this.write('trace', message, context);
  }

  fatal(message: unknown, context?: string): void {
    this.write('fatal', message, context);
  }

  /** Nest passes a stack before the context where it has one. */
  error(message: unknown, ...rest: readonly unknown[]): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const bindings = { context, ...(typeof stack === 'string' ? { stack } : {}) };
    this.pino.error(bindings, textOf(message));
  }

  private write(
    level: 'info' | 'warn' | 'debug' | 'trace' | 'fatal',
    message: unknown,
    context?: string,
  ): void {
    this.pino[level]({ context }, textOf(message));
  }
}

/** The framework's list of modules and routes. */
function isBootNoise(context: string | undefined): boolean {
  return context !== undefined && BOOT_NOISE.has(context);
}

function textOf(message: unknown): string {
  if (message instanceof Error) return `${message.name}: ${message.message}`;
  return typeof message === 'string' ? message : JSON.stringify(message);
}
