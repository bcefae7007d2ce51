import type { LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Clock } from './clock';
import { ColloquyError, describeError, stackFrames } from './errors';
import { flowFields } from './tracing';

/** Fields that readable lines leave out. */
const FOR_MACHINES = 'pid,trace,request,conversation,turn';

const BOOT_NOISE = new Set([
  'InstanceLoader',
  'NestFactory',
  'NestApplication',
  'RouterExplorer',
  'RoutesResolver',
]);

/**
 * Writes Nest's log lines through pino: one JSON object a line, or readable lines for a terminal.
 * Lines hold ids, codes and counts; they never hold bodies, links or candidates' words. So a caller
 * passes an error itself, never its text: what the error quotes stays out of the log. Lines of a flow
 * carry its ids: `trace`, `request`, `conversation`, `turn`.
 */
export class JsonLogger implements LoggerService {
  /** Lines for people. */
  readonly isPretty: boolean;
  private readonly pino: Logger;

  constructor(options: { readonly level: string; readonly isPretty: boolean }) {
    this.isPretty = options.isPretty;
    const base = { level: options.level, base: { pid: process.pid }, mixin: flowFields };
    this.pino = options.isPretty
      ? pino(base, pretty({ sync: true, ignore: FOR_MACHINES, translateTime: 'HH:MM:ss' }))
      : pino(base, pino.destination({ sync: true }));
  }

  log(message: unknown, ...rest: readonly unknown[]): void {
    const line = lineOf(message, rest);
    this.pino[isBootNoise(line.context) ? 'debug' : 'info'](line.bindings, line.text);
  }

  /** A line with fields of its own. They must not be secret. */
  event(text: string, fields: Readonly<Record<string, unknown>>, context: string): void {
    this.pino.info({ context, ...fields }, text);
  }

  warn(message: unknown, ...rest: readonly unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: readonly unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: readonly unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: readonly unknown[]): void {
    this.write('fatal', message, rest);
  }

  error(message: unknown, ...rest: readonly unknown[]): void {
    this.write('error', message, rest);
  }

  private write(
    level: 'error' | 'warn' | 'debug' | 'trace' | 'fatal',
    message: unknown,
    rest: readonly unknown[],
  ): void {
    const { bindings, text } = lineOf(message, rest);
    this.pino[level](bindings, text);
  }
}

interface Line {
  readonly text: string;
  readonly context: string | undefined;
  readonly bindings: Record<string, unknown>;
}

/** Nest passes a stack before the context; our callers pass an error there. */
function lineOf(message: unknown, rest: readonly unknown[]): Line {
  const last = rest.at(-1);
  const context = typeof last === 'string' ? last : undefined;
  const details = context === undefined ? rest : rest.slice(0, -1);
  const error = [message, ...details].find((part) => part instanceof Error);
  const stack = error?.stack ?? details.find((part) => typeof part === 'string');
  const frames = stackFrames(stack);
  const fields = error instanceof ColloquyError ? error.fields : {};
  return {
    text: textOf(message),
    context,
    bindings: {
      ...fields,
      context,
      ...(error === undefined || error === message ? {} : { error: describeError(error) }),
      ...(frames === '' ? {} : { stack: frames }),
    },
  };
}

/** Contexts in which Nest lists modules and routes at the start. */
function isBootNoise(context: string | undefined): boolean {
  return context !== undefined && BOOT_NOISE.has(context);
}

/** Objects are not written out, because they may hold candidates' words. */
function textOf(message: unknown): string {
  if (message instanceof Error) return describeError(message);
  return typeof message === 'string' ? message : `(${typeof message})`;
}

/** The same sentence is logged again after this time. */
const QUIET_MS = 600_000;
/** Sentences that are remembered; some contain ids from outside, so they are bounded. */
const MAX_SENTENCES = 200;

/** Logs each sentence at most once in ten minutes, so that what lasts does not fill the log. */
export class QuietLog {
  private readonly loggedAtMs = new Map<string, number>();

  constructor(
    private readonly logger: Pick<LoggerService, 'log' | 'warn'>,
    private readonly clock: Clock,
  ) {}

  log(sentence: string): void {
    if (this.isDue(sentence)) this.logger.log(sentence);
  }

  warn(sentence: string): void {
    if (this.isDue(sentence)) this.logger.warn(sentence);
  }

  /** What the sentence said is over: it is logged at once when it is true again. */
  forget(sentence: string): void {
    this.loggedAtMs.delete(sentence);
  }

  private isDue(sentence: string): boolean {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - (this.loggedAtMs.get(sentence) ?? -Infinity) < QUIET_MS) return false;
    if (this.loggedAtMs.size >= MAX_SENTENCES) this.loggedAtMs.clear();
    this.loggedAtMs.set(sentence, nowMs);
    return true;
  }
}
