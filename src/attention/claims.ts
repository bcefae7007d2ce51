import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../common/events';
import type { Tx } from '../common/uow';
import type { AttentionItem } from './attention.entity';
import { type ClaimRow, ClaimRepository, type ClaimSubject } from './claim.repository';

/** Whoever writes to somebody thinks for minutes; whoever has gone to lunch is away for longer. */
export const CLAIM_QUIET_MS = 900_000;

type Claimable = Pick<AttentionItem, 'id' | 'conversationId'>;

/** Who has an item, as others see it. */
export interface Claim {
  /** As the audit names it: `user Ada Lovelace`, `key crm`. */
  readonly heldBy: string;
  readonly since: Date;
  /** It ends then, unless its holder does something with the item before. */
  readonly until: Date;
}

/**
 * Who has an item of the attention list, so that two people never do the same. An interview is claimed with all
 * items about it, because its candidate hears one person.
 *
 *   free ──claim, or any act──> held ──release, the item is closed──> free
 *                                 │ └──15 minutes without an act ───> free
 *                                 └──taken from the holder by name──> held by another one
 *
 * The caller locks the conversation of the item first, if there is one.
 */
@Injectable()
export class AttentionClaims {
  constructor(
    private readonly rows: ClaimRepository,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Gives the item to `by`: if nobody has it, if they have it already, or if it is `from` who has it. `isTaken`
   * false: somebody else has it, and the claim is theirs.
   */
  async take(
    tx: Tx,
    item: Claimable,
    { by, from = null }: { readonly by: string; readonly from?: string | null },
  ): Promise<{ readonly isTaken: boolean; readonly claim: Claim }> {
    const subject = subjectOf(item);
    const [before] = await this.rows.list(tx, [subject.subject], CLAIM_QUIET_MS);
    const taken = await this.rows.take(tx, subject, { by, from, quietMs: CLAIM_QUIET_MS });
    if (taken !== null) {
      if (before?.heldBy !== by) await this.changed(tx, item);
      return { isTaken: true, claim: claimOf(taken) };
    }
    // The statement has locked the row, so it is still there.
    const [holder] = await this.rows.list(tx, [subject.subject], CLAIM_QUIET_MS);
    if (holder === undefined) throw new Error('a claim that was refused has no holder');
    return { isTaken: false, claim: claimOf(holder) };
  }

  /** By the ids of those of the items that somebody has. */
  async of(tx: Tx, items: readonly Claimable[]): Promise<ReadonlyMap<string, Claim>> {
    if (items.length === 0) return new Map();
    const subjects = items.map((item) => subjectOf(item).subject);
    const rows = await this.rows.list(tx, [...new Set(subjects)], CLAIM_QUIET_MS);
    const held = new Map(rows.map((row) => [row.subject, claimOf(row)]));
    return new Map(
      items.flatMap((item) => {
        const claim = held.get(subjectOf(item).subject);
        return claim === undefined ? [] : [[item.id, claim] as const];
      }),
    );
  }

  /** Whoever has it is still at it. */
  use(tx: Tx, item: Claimable, by: string): Promise<void> {
    return this.rows.use(tx, subjectOf(item).subject, by);
  }

  /** Nothing happens when `by` does not have it. */
  async release(tx: Tx, item: Claimable, by: string): Promise<void> {
    if (await this.rows.release(tx, subjectOf(item).subject, by)) await this.changed(tx, item);
  }

  private async changed(tx: Tx, { id, conversationId }: Claimable): Promise<void> {
    const of = { id, interviewId: conversationId, vacancyId: null };
    await this.events.publish(tx, 'team.changed', { kind: 'attention', ...of });
  }
}

function subjectOf({ id, conversationId }: Claimable): ClaimSubject {
  return conversationId === null
    ? { subject: `item:${id}`, itemId: id, conversationId }
    : { subject: `conversation:${conversationId}`, itemId: null, conversationId };
}

function claimOf({ heldBy, claimedAt, usedAt }: ClaimRow): Claim {
  return { heldBy, since: claimedAt, until: new Date(usedAt.getTime() + CLAIM_QUIET_MS) };
}
