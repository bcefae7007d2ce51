import { Injectable } from '@nestjs/common';
import { JobHandlerError, type JobHandlerClass, type LaneName } from './job';

/** Which lanes this process works on, and who does the work. A lane without a handler waits. */
@Injectable()
export class JobRegistry {
  private readonly handlers = new Map<LaneName, JobHandlerClass>();

  register(handler: JobHandlerClass): void {
    if (this.handlers.has(handler.lane)) {
      throw new JobHandlerError(`the lane "${handler.lane}" has a handler already`);
    }
    this.handlers.set(handler.lane, handler);
  }

  get(lane: LaneName): JobHandlerClass {
    const handler = this.handlers.get(lane);
    if (handler === undefined) throw new JobHandlerError(`no handler for lane "${lane}"`);
    return handler;
  }

  all(): JobHandlerClass[] {
    return [...this.handlers.values()];
  }
}
