import { Injectable } from '@nestjs/common';
import { type Principal, nameIn } from '../access';
import { DomainEvents, type Reviewer } from '../common/events';
import type { Tx } from '../common/uow';

/**
 * A user sees what the model and colleagues gave an answer after their own rating of it, wherever it is shown, or
 * else, in an export for the candidate, instead of rating it. Keys and tokens are no reviewers: they read for the
 * people whom they name.
 */
@Injectable()
export class OwnRatingFirst {
  constructor(private readonly events: DomainEvents) {}

  /**
   * Before a user gets a decision file, which holds every score and rating about a candidate. Throws
   * RatingMissingError while there are answers that they have to rate first; then their ratings are not changed
   * any more.
   */
  async assertForFile(tx: Tx, principal: Principal, candidateId: string): Promise<void> {
    await this.disclose(tx, principal, { candidateId, hasToRate: true });
  }

  /**
   * In the commit that reads scores and ratings for a candidate's export. The candidate has a right to all of it, so
   * nobody has to rate for it. Answers that the user has not rated and of which it tells something they do not rate
   * any more.
   */
  async noteExport(tx: Tx, principal: Principal, candidateId: string): Promise<void> {
    await this.disclose(tx, principal, { candidateId, hasToRate: false });
  }

  private async disclose(
    tx: Tx,
    principal: Principal,
    of: { readonly candidateId: string; readonly hasToRate: boolean },
  ): Promise<void> {
    if (principal.userId === null) return;
    await this.events.ask(tx, 'ratings.disclosed', { ...of, by: reviewerOf(principal) });
  }
}

/** The user who makes the request. Only users have the scopes of operations that need one. */
export function reviewerOf({ userId, actor }: Principal): Reviewer {
  if (userId === null) throw new Error('a key or a token has a scope of users');
  return { userId, name: nameIn(actor) };
}
