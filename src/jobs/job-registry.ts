import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import { JobHandlerError, type JobHandlerClass } from './job';

export interface JobOptions {
  /** Jobs of the queue that one process runs at a time. */
  readonly concurrency: number | ((settings: Settings) => number);
  /** Number of its own failures after which a job is dead. */
  readonly maxFailures: number;
  /** At most one job of the queue runs in the whole cluster. */
  readonly single?: boolean;
  /** When a shutdown stops claiming; see `drainJobs` in src/bootstrap. */
  readonly drain?: DrainPhase;
}

/**
 *   first  when the drain begins
 *   flows  with SHUTDOWN_PENDING=flush, after the pending answers were claimed; else as `first`
 *   last   when no other flow runs that could add jobs
 */
export type DrainPhase = 'first' | 'flows' | 'last';

/** A queue that this process works on. */
export interface RegisteredQueue {
  readonly queue: string;
  readonly concurrency: number;
  readonly maxFailures: number;
  readonly single: boolean;
  readonly drain: DrainPhase;
  readonly handler: JobHandlerClass;
}

const JOB_HANDLER = Symbol('JobHandler');

/**
 * Marks a provider as the handler of a queue. It is the only place of the queue's name, limits and
 * shutdown phase. JobsModule finds the handlers at boot.
 */
export function JobHandler(
  queue: string,
  options: JobOptions,
): (target: abstract new (...args: never[]) => JobHandlerClass) => void {
  return (target) => {
    Reflect.defineMetadata(JOB_HANDLER, { queue, options }, target);
  };
}

/** The queues that this process works on, with their handlers. Jobs of other queues wait. */
@Injectable()
export class JobRegistry {
  private readonly queues = new Map<string, RegisteredQueue>();

  constructor(private readonly settings: Settings) {}

  /**
   * Adds an instance of a class that is marked with @JobHandler; other objects are ignored. Throws
   * JobHandlerError when the queue has another handler already.
   */
  register(handler: object): void {
    const found = Reflect.getMetadata(JOB_HANDLER, handler.constructor) as
      { queue: string; options: JobOptions } | undefined;
    if (found === undefined) return;
    const { queue, options } = found;
    const known = this.queues.get(queue);
    if (known?.handler === handler) return;
    if (known !== undefined) {
      throw new JobHandlerError(`the queue "${queue}" has two handlers; it takes one`);
    }
    const { concurrency, maxFailures, single = false, drain = 'first' } = options;
    this.queues.set(queue, {
      queue,
      concurrency: typeof concurrency === 'number' ? concurrency : concurrency(this.settings),
      maxFailures,
      single,
      drain,
      handler: handler as JobHandlerClass,
    });
  }

  get(queue: string): RegisteredQueue {
    const found = this.queues.get(queue);
    if (found === undefined) {
      throw new JobHandlerError(`no handler is registered for the queue "${queue}"`);
    }
    return found;
  }

  all(): RegisteredQueue[] {
    return [...this.queues.values()];
  }
}
