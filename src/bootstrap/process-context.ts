import { Logger, type LoggerService } from '@nestjs/common';
import { type Clock, SystemClock } from '../common/clock';
import type { Settings } from '../common/config';
import { ProcessEnd } from '../common/lifecycle';
import { JsonLogger } from '../common/logging';

/** What the process has before it serves: its clock, its log, and its answer to signals. */
export interface ProcessContext {
  readonly clock: Clock;
  readonly logger: LoggerService;
  readonly end: ProcessEnd;
}

/**
 * Apart from `serve`, and loaded before it: a signal that comes while the rest of the code is
 * loaded must find somebody who listens.
 */
export function createProcessContext(
  settings: Settings,
  exit: (code: 0 | 1) => void,
): ProcessContext {
  const isPretty = settings.log.isPretty || process.stdout.isTTY;
  const logger = new JsonLogger({ level: settings.log.level, isPretty });
  Logger.overrideLogger(logger);
  // Whoever read our lines has gone: that ends no interview.
  process.stdout.on('error', () => undefined);
  const clock = new SystemClock();
  const end = new ProcessEnd(clock, logger, exit);
  end.listen();
  return { clock, logger, end };
}
