import type { LoggerService } from '@nestjs/common';
import type { Clock } from '../clock';
import { describeError, stackFrames } from '../errors';
import type { Drain } from './drain';

/**
 * Ends this process on signals and on uncaught errors. Nest's shutdown hooks do the work of a normal
 * shutdown; this class does what they leave out.
 *
 *   booting ──signal──────────> exit 0 at once: nothing is served yet, and PostgreSQL rolls
 *                             a running migration back
 *   booting ──uncaught error──> exit 1 at once
 *   serving ──signal──────────> (hooks: drain, exit 0; 1 when the drain failed)
 *           ──second signal───> leases are handed back, exit 1 within a second
 *           ──uncaught error──> logged without what it quotes, drain, exit 1
 */
export class ProcessEnd {
  private served: RunningServer | null = null;
  private firstSignalAtMs: number | null = null;
  private isFatal = false;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Required<Pick<LoggerService, 'fatal'>>,
    private readonly exit: (code: 0 | 1) => void,
  ) {}

  /** Call it first, before Nest listens to signals. */
  listen(): void {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        this.onSignal(signal);
      });
    }
    process.on('uncaughtException', (error) => {
      this.onFatal(error);
    });
    process.on('unhandledRejection', (reason) => {
      this.onFatal(reason);
    });
  }

  serve(served: RunningServer): void {
    this.served = served;
  }

  private onSignal(signal: string): void {
    if (this.served === null) {
      this.exit(0);
      return;
    }
    const nowMs = this.clock.monotonicMs();
    if (this.firstSignalAtMs === null) {
      this.firstSignalAtMs = nowMs;
      void this.served.drain.begin(signal);
      this.exitAfter(this.served.drainDeadlineMs + STUCK_MS);
      return;
    }
    if (nowMs - this.firstSignalAtMs < SAME_PRESS_MS) return;
    this.served.drain.hurry();
    this.exitAfter(HURRY_MS);
  }

  /** The state of the process is unknown, but finishing what runs is still better than cutting it. */
  private onFatal(error: unknown): void {
    const frames = stackFrames(error instanceof Error ? error.stack : undefined);
    this.logger.fatal(`uncaught ${describeError(error)}; shutting down`, frames, 'Process');
    if (this.isFatal) return;
    this.isFatal = true;
    if (this.served === null) {
      this.exit(1);
      return;
    }
    const { drain, drainDeadlineMs } = this.served;
    drain.fail('uncaught error');
    this.exitAfter(drainDeadlineMs + STUCK_MS);
    void this.served.close().then(
      () => {
        this.exit(1);
      },
      () => {
        this.exit(1);
      },
    );
  }

  private exitAfter(ms: number): void {
    void this.clock.sleep(ms).then(() => {
      this.exit(1);
    });
  }
}

export const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Under npm, Ctrl-C arrives twice: from the terminal, and passed on by npm. */
const SAME_PRESS_MS = 400;
/** The process ends this long after a second signal, even if something still runs. */
const HURRY_MS = 900;
/** Added to the drain's own bounds; after it something hangs that has no bound. */
const STUCK_MS = 20_000;

/** What has to be shut down once the process serves. */
export interface RunningServer {
  readonly drain: Drain;
  readonly drainDeadlineMs: number;
  /** Nest's whole shutdown. */
  close(): Promise<void>;
}
