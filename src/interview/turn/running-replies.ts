import { Injectable } from '@nestjs/common';

/** The replies that this process writes now, so that a candidate's Stop reaches them at once. */
@Injectable()
export class RunningReplies {
  private readonly stops = new Map<string, AbortController>();

  /** Registers a reply; its signal aborts when the candidate stops it. */
  start(conversationId: string): { readonly stopped: AbortSignal; end(): void } {
    const controller = new AbortController();
    this.stops.set(conversationId, controller);
    return {
      stopped: controller.signal,
      end: () => {
        if (this.stops.get(conversationId) === controller) this.stops.delete(conversationId);
      },
    };
  }

  stop(conversationId: string): void {
    this.stops.get(conversationId)?.abort();
  }
}
