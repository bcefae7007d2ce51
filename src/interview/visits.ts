import { Injectable } from '@nestjs/common';
import {
  AccountConversationRepository,
  CandidateRepository,
  ContinuationRepository,
  WebSessionRepository,
} from '../candidates';
import type { Tx } from '../common/uow';
import { ReviewRequests } from '../notion-sync/reviews';
import { ConversationRepository } from '../persistence';

/** Interviews that somebody has begun without an invitation, by a vacancy's open link. */
@Injectable()
export class OpenLinkInterviews {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly candidates: CandidateRepository,
    private readonly sessions: WebSessionRepository,
    private readonly continuations: ContinuationRepository,
    private readonly pairs: AccountConversationRepository,
    private readonly reviews: ReviewRequests,
  ) {}

  /**
   * The person says that these interviews are the invited candidate's. Browsers in which they are
   * open, and open links to them, end: they may be somebody else's; so does what accounts other than
   * `account` may do in them. What is not a visitor's stays as it is. Returns what was joined.
   */
  async join(
    tx: Tx,
    conversationIds: readonly string[],
    { candidateId, account }: { candidateId: string; account: string },
  ): Promise<string[]> {
    const joined: string[] = [];
    const visitors = new Set<string>();
    for (const id of [...conversationIds].sort()) {
      const visitor = (await this.conversations.lock(tx, id))?.candidateId ?? candidateId;
      if (visitor === candidateId || !(await this.candidates.isVisitor(tx, visitor))) continue;
      await this.conversations.setCandidate(tx, id, candidateId);
      joined.push(id);
      visitors.add(visitor);
    }
    await this.sessions.endOf(tx, joined);
    await this.continuations.revokeOf(tx, joined);
    await this.pairs.closeToOthers(tx, account, joined);
    for (const conversationId of joined) {
      // From now on it is about an invitation: one that was issued again before says nothing here.
      const pair = { account, conversationId, origin: 'claimed', hasAgreed: true } as const;
      await this.pairs.record(tx, pair);
    }
    for (const visitor of visitors) await this.candidates.deleteUnused(tx, visitor);
    await this.reviews.changed(tx, await this.conversations.listOfCandidate(tx, candidateId));
    return joined;
  }
}
