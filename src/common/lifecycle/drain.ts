import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Clock } from '../clock';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ProblemError } from '../http';

/**
 * Runs the one orderly shutdown of this process, while HTTP still responds.
 *
 *   serving ──begin──> draining ──its phases──> drained ──HTTP has closed──> released
 *                         └──hurry: stop waiting─────┘
 *
 * It begins once, however often it is asked for. Errors are kept and thrown at the end, when
 * everything that can be released is released.
 */
@Injectable()
export class Drain implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Drain');
  private readonly steps = new Map<DrainPhase, { name: string; step: DrainStep }[]>();
  private readonly failures: string[] = [];
  private readonly overrun = new AbortController();
  private readonly hurrying = new AbortController();
  private draining: Promise<void> | null = null;
  private releasing: Promise<void> | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly deadlineMs: number,
  ) {}

  get isDraining(): boolean {
    return this.draining !== null;
  }

  register(phase: DrainPhase, name: string, step: DrainStep): void {
    const steps = this.steps.get(phase) ?? [];
    steps.push({ name, step });
    this.steps.set(phase, steps);
  }

  /**
   * Begins unless it has begun; resolves when all phases but the last have ended. Never rejects.
   * Without a signal the application itself asks for it.
   */
  begin(signal?: string): Promise<void> {
    this.draining ??= this.run(signal);
    return this.draining;
  }

  /** Makes the process exit 1 also when the rest of the drain succeeds. */
  fail(reason: string): void {
    this.failures.push(reason);
  }

  /** Stops waiting: hands back what can be handed back at once, and exits 1. */
  hurry(): void {
    if (this.hurrying.signal.aborted) return;
    this.fail('hurried');
    this.hurrying.abort();
    this.overrun.abort();
  }

  /** Nest's first shutdown hook, so that no other module can delay the beginning. */
  onModuleDestroy(): void {
    void this.begin();
  }

  beforeApplicationShutdown(signal?: string): Promise<void> {
    return this.begin(signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.releasing ??= this.runPhase('connections', NO_TIME_LEFT);
    await this.releasing;
    if (this.failures.length > 0) throw new DrainFailedError(this.failures.join(', '));
  }

  private async run(signal: string | undefined): Promise<void> {
    const startedAtMs = this.clock.monotonicMs();
    const cause = signal === undefined ? '(requested by the application)' : `after ${signal}`;
    this.logger.log(`shutting down ${cause}; at most ${this.deadlineMs / 1000} s`);
    const finished = new AbortController();
    void this.clock.sleep(this.deadlineMs, finished.signal).then(() => {
      this.overrun.abort();
    });
    const deadline = this.deadlineFrom(startedAtMs);
    // Registered steps may run at once, and `isDraining` must be true for them.
    await Promise.resolve();
    for (const phase of PHASES) await this.runPhase(phase, deadline);
    finished.abort();
    const tookMs = Math.round(this.clock.monotonicMs() - startedAtMs);
    this.logger.log(`drained in ${tookMs} ms`);
  }

  private deadlineFrom(startedAtMs: number): DrainDeadline {
    const { clock, deadlineMs, hurrying, overrun } = this;
    return {
      signal: overrun.signal,
      totalMs: deadlineMs,
      get isHurried() {
        return hurrying.signal.aborted;
      },
      remainingMs: () =>
        overrun.signal.aborted ? 0 : Math.max(0, startedAtMs + deadlineMs - clock.monotonicMs()),
    };
  }

  private async runPhase(phase: DrainPhase, deadline: DrainDeadline): Promise<void> {
    for (const { name, step } of this.steps.get(phase) ?? []) {
      const settled = new AbortController();
      try {
        const patience = this.patience(phase, deadline, settled.signal);
        await Promise.race([this.call(step, deadline), patience]);
      } catch (error) {
        this.fail(`${phase} of ${name}`);
        this.logger.error(
          `shutdown step "${name}" (phase ${phase}) failed; the shutdown goes on, and the exit ` +
            'code will be 1',
          error,
        );
      } finally {
        settled.abort();
      }
    }
  }

  private async call(step: DrainStep, deadline: DrainDeadline): Promise<void> {
    await step(deadline);
  }

  /** Rejects when a step has used up its time, so that it cannot hold up the other steps. */
  private async patience(
    phase: DrainPhase,
    deadline: DrainDeadline,
    settled: AbortSignal,
  ): Promise<void> {
    const isAtEnd = phase === 'handBack' || phase === 'connections';
    const { signal: hurried } = this.hurrying;
    await this.clock.sleep(timeFor(phase, deadline), AbortSignal.any([settled, hurried]));
    if (hurried.aborted) await this.clock.sleep(isAtEnd ? HURRIED_MS : 0, settled);
    if (!settled.aborted) throw new DrainFailedError('it took too long');
  }
}

/**
 * The order of a shutdown. Each phase begins when the one before has ended:
 *
 *   intake       nothing new is accepted: requests get 503, pollers stop
 *   claims       no new jobs are claimed; heartbeats go on
 *   requests     accepted requests get their responses
 *   buffers      with SHUTDOWN_PENDING=flush, answers that this process collects get their replies
 *   flows        running jobs finish, up to the deadline
 *   deliveries   what they have added is sent; then nothing is claimed any more
 *   streams      readers that are still connected are cut, so that they reconnect elsewhere
 *   handBack     leases of stopped jobs are returned
 *   connections  the database is released; last, after HTTP has closed
 *
 * Each room registers its own steps in `onModuleInit`, so the order of two steps is that of their phases,
 * and steps of one phase must not depend on each other.
 */
const PHASES = [
  'intake',
  'claims',
  'requests',
  'buffers',
  'flows',
  'deliveries',
  'streams',
  'handBack',
] as const;
export type DrainPhase = (typeof PHASES)[number] | 'connections';

/** The same after a second signal. */
const HURRIED_MS = 500;

type DrainStep = (deadline: DrainDeadline) => void | Promise<void>;

/** How much time is left. Aborts at the deadline, or at a second signal. */
export interface DrainDeadline {
  readonly signal: AbortSignal;
  /** The whole time of the drain. */
  readonly totalMs: number;
  /** A second signal came: return only what can be returned at once. */
  readonly isHurried: boolean;
  readonly remainingMs: () => number;
}

/** A step of the shutdown failed or took too long; the process exits 1. */
export class DrainFailedError extends Error {
  override readonly name = 'DrainFailedError';
}

/** How long after the deadline a step may take to end; then the drain goes on without it. */
const SLACK_MS = 500;
/** For aborted jobs to end, and for one statement. */
const HAND_BACK_MS = 9000;
const RELEASE_MS = 3000;

function timeFor(phase: DrainPhase, deadline: DrainDeadline): number {
  if (phase === 'handBack') return HAND_BACK_MS;
  if (phase === 'connections') return RELEASE_MS;
  return deadline.remainingMs() + SLACK_MS;
}

const NO_TIME_LEFT: DrainDeadline = {
  signal: AbortSignal.abort(),
  totalMs: 0,
  isHurried: false,
  remainingMs: () => 0,
};

/** Probes and metrics get responses to the end. */
const ALWAYS = /^\/(health|metrics)(\/|$|\?)/;
const POLL_MS = 10;
/** A request that is still arriving after this long is not waited for. */
const LONGEST_MS = 10_000;

/**
 * Refuses plain requests while the server drains, and makes the drain wait until the responses to
 * accepted ones are written. Streams are not waited for: they are cut in the phase `streams`.
 */
export function drainRequests(server: FastifyInstance, drain: Drain, clock: Clock): void {
  const open = new Set<FastifyReply>();
  server.addHook('onRequest', (request, reply, next) => {
    if (ALWAYS.test(request.url)) {
      next();
      return;
    }
    if (drain.isDraining) {
      // Closed, because a kept-alive connection would reach this process again.
      void reply.header('connection', 'close');
      next(new ProblemError(503, 'draining', 'This server is restarting.', { retryAfterS: 1 }));
      return;
    }
    open.add(reply);
    reply.raw.once('close', () => open.delete(reply));
    next();
  });
  drain.register('requests', 'requests', async (deadline) => {
    const untilMs = clock.monotonicMs() + Math.min(LONGEST_MS, deadline.remainingMs());
    while ([...open].some(isPending) && clock.monotonicMs() < untilMs) {
      if (deadline.signal.aborted) return;
      await clock.sleep(POLL_MS, deadline.signal);
    }
  });
}

/** A stream counts as done, because its handler took the response over. */
function isPending({ sent, raw }: FastifyReply): boolean {
  if (raw.destroyed) return false;
  return raw.writableEnded ? !raw.writableFinished : !sent;
}
