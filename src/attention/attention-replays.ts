import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import type { AttentionItem, AttentionKind } from './attention.entity';

/**
 * Does again what the item stands for, inside the commit that closes the item. A refusal is thrown
 * and leaves the item open. Takes the conversation's lock before a job's.
 */
export type AttentionReplay = (tx: Tx, item: AttentionItem) => Promise<void>;

/** The port through which upper layers say what "again" means for a kind. */
@Injectable()
export class AttentionReplays {
  private readonly replays = new Map<AttentionKind, AttentionReplay>();
  private readonly bySubject = new Map<string, AttentionReplay>();

  /** Once for each kind, at boot. */
  register(kind: AttentionKind, replay: AttentionReplay): void {
    if (this.replays.has(kind)) throw new Error(`"${kind}" has a replay already`);
    this.replays.set(kind, replay);
  }

  /** The same for subjects that begin so (`telegram-update:`), which come before their kind. */
  registerSubject(prefix: string, replay: AttentionReplay): void {
    if (this.bySubject.has(prefix)) throw new Error(`"${prefix}" has a replay already`);
    this.bySubject.set(prefix, replay);
  }

  find({ kind, subject }: Pick<AttentionItem, 'kind' | 'subject'>): AttentionReplay | undefined {
    const own = [...this.bySubject].find(([prefix]) => subject.startsWith(prefix));
    return own?.[1] ?? this.replays.get(kind);
  }
}
