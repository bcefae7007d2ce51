import { Injectable } from '@nestjs/common';
import { LaneRegistrationError } from './errors';
import type { LaneHandler } from './lane-handler';
import type { LaneName } from './task';

/** Which lanes this process works on, and who does the work. A lane without a handler waits. */
@Injectable()
export class LaneRegistry {
  private readonly handlers = new Map<LaneName, LaneHandler>();

  register(handler: LaneHandler): void {
    if (this.handlers.has(handler.lane)) {
      throw new LaneRegistrationError(`the lane "${handler.lane}" has a handler already`);
    }
    this.handlers.set(handler.lane, handler);
  }

  get(lane: LaneName): LaneHandler {
    const handler = this.handlers.get(lane);
    if (handler === undefined) throw new LaneRegistrationError(`no handler for lane "${lane}"`);
    return handler;
  }

  all(): LaneHandler[] {
    return [...this.handlers.values()];
  }
}
