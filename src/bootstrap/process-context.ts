import { Logger } from '@nestjs/common';
import { type Clock, SystemClock } from '../common/clock';
import type { Settings } from '../common/config';
import { ProcessEnd } from '../common/lifecycle';
import { JsonLogger } from '../common/logging';

/** What the process has before it serves: its clock, its log, and its handling of signals. */
export interface ProcessContext {
  readonly clock: Clock;
  readonly logger: JsonLogger;
  readonly end: ProcessEnd;
}

/**
 * Loaded before `serve`, so that a signal is handled also while the rest of the code is loaded.
 */
export function createProcessContext(
  settings: Settings,
  exit: (code: 0 | 1) => void,
): ProcessContext {
  // Lines for people at a terminal, JSON for whatever collects logs.
  const isPretty = process.stdout.isTTY;
  const logger = new JsonLogger({ level: settings.log.level, isPretty });
  Logger.overrideLogger(logger);
  // A reader of our output that goes away must not end the process.
  process.stdout.on('error', () => undefined);
  const clock = new SystemClock();
  const end = new ProcessEnd(clock, logger, exit);
  end.listen();
  return { clock, logger, end };
}
