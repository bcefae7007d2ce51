import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import { JobHandlerError, type JobHandlerClass } from './job';

export interface JobOptions {
  /** Jobs of the queue that one process runs at a time. */
  readonly concurrency: number | ((settings: Settings) => number);
  /** Failures of its own after which a job is dead. */
  readonly maxFailures: number;
  /** At most one job of the queue runs in the whole cluster. */
  readonly single?: boolean;
  /** When a shutdown stops claiming; see `drainJobs`. */
  readonly drain?: DrainPhase;
}

/**
 *   first  as soon as the process drains
 *   flows  after pending answers were taken, when SHUTDOWN_PENDING says that they are
 *   last   when no other flow is left that could add jobs
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
 * Marks a provider as the handler of a queue. The queue's name, limits and place in a shutdown stand
 * here and nowhere else. Handlers are found at boot (JobsModule).
 */
export function JobHandler(
  queue: string,
  options: JobOptions,
): (target: abstract new (...args: never[]) => JobHandlerClass) => void {
  return (target) => {
    Reflect.defineMetadata(JOB_HANDLER, { queue, options }, target);
  };
}

/** Which queues this process works on, and the handler of each. A queue without one waits. */
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
