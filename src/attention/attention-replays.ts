import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import type { AttentionItem, AttentionKind } from './attention-item';

/**
 * Does again what the item stands for, inside the commit that closes the item. A refusal is thrown
 * and leaves the item open. Takes the conversation's lock before a task's.
 */
export type AttentionReplay = (tx: Tx, item: AttentionItem) => Promise<void>;

/** The port through which upper layers say what "again" means for a kind. */
@Injectable()
export class AttentionReplays {
  private readonly replays = new Map<AttentionKind, AttentionReplay>();

  /** Once for each kind, at boot. */
  register(kind: AttentionKind, replay: AttentionReplay): void {
    if (this.replays.has(kind)) throw new Error(`"${kind}" has a replay already`);
    this.replays.set(kind, replay);
  }

  find(kind: AttentionKind): AttentionReplay | undefined {
    return this.replays.get(kind);
  }
}
