import { Injectable } from '@nestjs/common';

/**
 * Requests that wait for a reply that has not begun. A newer one of the same chat takes the place
 * of an older one, which is ended: several messages of one answer get one reply, once.
 */
@Injectable()
export class HeldPosts {
  private readonly held = new Map<string, AbortController>();

  /** Holds a request of this chat; `superseded` aborts when a newer one takes its place. */
  hold(
    conversationId: string,
    chatId: string,
  ): { readonly superseded: AbortSignal; release(): void } {
    const key = `${conversationId} ${chatId}`;
    this.held.get(key)?.abort();
    const controller = new AbortController();
    this.held.set(key, controller);
    return {
      superseded: controller.signal,
      release: () => {
        if (this.held.get(key) === controller) this.held.delete(key);
      },
    };
  }
}
