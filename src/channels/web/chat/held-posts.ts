import { Injectable } from '@nestjs/common';

/** A request's place among those that wait for a reply. */
export interface PendingRequest {
  /** A newer request of the same chat waits for the same reply: this one is to be ended. */
  readonly isSuperseded: boolean;
  release(): void;
}

interface Held {
  isSuperseded: boolean;
  readonly bell: { ring(signal: 'rows'): void };
}

/**
 * Requests that wait for a reply that has not begun. Of one chat only the newest waits for a reply;
 * it takes the place of the older ones, which are ended: several messages of one answer get one
 * reply, once. A request for an earlier answer keeps its place, or nobody would carry that reply.
 */
@Injectable()
export class PendingRequests {
  private readonly held = new Map<string, Held>();

  hold(
    waiting: {
      readonly conversationId: string;
      readonly chatId: string;
      readonly bufferId: string;
    },
    bell: Held['bell'],
  ): PendingRequest {
    const key = JSON.stringify([waiting.conversationId, waiting.bufferId, waiting.chatId]);
    const older = this.held.get(key);
    if (older !== undefined) {
      older.isSuperseded = true;
      older.bell.ring('rows');
    }
    const held: Held = { isSuperseded: false, bell };
    this.held.set(key, held);
    return {
      get isSuperseded() {
        return held.isSuperseded;
      },
      release: () => {
        if (this.held.get(key) === held) this.held.delete(key);
      },
    };
  }
}
