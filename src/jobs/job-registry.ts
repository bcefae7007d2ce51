import { Injectable } from '@nestjs/common';
import { JobHandlerError, type JobHandlerClass, type QueueName } from './job';

/** Which queues this process works on, and who does the work. A queue without a handler waits. */
@Injectable()
export class JobRegistry {
  private readonly handlers = new Map<QueueName, JobHandlerClass>();

  register(handler: JobHandlerClass): void {
    if (this.handlers.has(handler.queue)) {
      throw new JobHandlerError(`the queue "${handler.queue}" has a handler already`);
    }
    this.handlers.set(handler.queue, handler);
  }

  get(queue: QueueName): JobHandlerClass {
    const handler = this.handlers.get(queue);
    if (handler === undefined) throw new JobHandlerError(`no handler for queue "${queue}"`);
    return handler;
  }

  all(): JobHandlerClass[] {
    return [...this.handlers.values()];
  }
}
