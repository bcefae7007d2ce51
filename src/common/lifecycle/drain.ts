import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Clock } from '../clock';

/**
 * The order of a shutdown. Each phase begins when the one before has ended:
 *
 *   intake       nothing new is accepted: requests get 503, pollers stop
 *   claims       due work is left to others; heartbeats go on
 *   flows        what was begun is finished, up to the deadline
 *   streams      readers that are still connected are cut, so that they reconnect elsewhere
 *   handBack     leases of work that has stopped are returned
 *   connections  the database is released; last, after HTTP has closed
 */
const PHASES = ['intake', 'claims', 'flows', 'streams', 'handBack'] as const;
export type DrainPhase = (typeof PHASES)[number] | 'connections';

/** How long is left. Aborts at the deadline. */
export interface DrainDeadline {
  readonly signal: AbortSignal;
  remainingMs(): number;
}

type DrainStep = (deadline: DrainDeadline) => void | Promise<void>;

/** A phase could not be ended well; the process exits 1. */
export class DrainFailedError extends Error {
  override readonly name = 'DrainFailedError';
}

/** Runs the one orderly shutdown of this process, while HTTP still answers. */
@Injectable()
export class Drain implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Drain');
  private readonly steps = new Map<DrainPhase, { name: string; step: DrainStep }[]>();
  private startedAtMs: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly deadlineMs: number,
  ) {}

  get isDraining(): boolean {
    return this.startedAtMs !== null;
  }

  register(phase: DrainPhase, name: string, step: DrainStep): void {
    const steps = this.steps.get(phase) ?? [];
    steps.push({ name, step });
    this.steps.set(phase, steps);
  }

  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (this.startedAtMs !== null) return;
    const startedAtMs = this.clock.monotonicMs();
    this.startedAtMs = startedAtMs;
    this.logger.log(`draining after ${signal ?? 'a request'}`);
    const overrun = new AbortController();
    const finished = new AbortController();
    void this.clock.sleep(this.deadlineMs, finished.signal).then(() => {
      overrun.abort();
    });
    const deadline: DrainDeadline = {
      signal: overrun.signal,
      remainingMs: () => Math.max(0, startedAtMs + this.deadlineMs - this.clock.monotonicMs()),
    };
    const failures = await this.runPhases(deadline);
    finished.abort();
    const tookMs = Math.round(this.clock.monotonicMs() - startedAtMs);
    this.logger.log(`drained in ${tookMs} ms`);
    if (failures.length > 0) throw new DrainFailedError(`failed: ${failures.join(', ')}`);
  }

  async onApplicationShutdown(): Promise<void> {
    const steps = this.steps.get('connections') ?? [];
    this.steps.delete('connections');
    for (const { step } of steps) await step(NO_TIME_LEFT);
  }

  private async runPhases(deadline: DrainDeadline): Promise<string[]> {
    const failures: string[] = [];
    for (const phase of PHASES) {
      for (const { name, step } of this.steps.get(phase) ?? []) {
        try {
          await step(deadline);
        } catch (error) {
          failures.push(`${phase} of ${name}`);
          this.logger.error(`${phase} of ${name}: ${error instanceof Error ? error.message : ''}`);
        }
      }
    }
    return failures;
  }
}

const NO_TIME_LEFT: DrainDeadline = { signal: AbortSignal.abort(), remainingMs: () => 0 };
