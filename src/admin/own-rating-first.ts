import { Injectable } from '@nestjs/common';
import type { Principal } from '../access';
import { DomainEvents, type Reviewer } from '../common/events';
import type { Tx } from '../common/uow';

/**
 * A user sees what the model and colleagues gave an answer after their own rating of it, wherever it is shown.
 * Keys and tokens are no reviewers: they read for the people whom they name.
 */
@Injectable()
export class OwnRatingFirst {
  constructor(private readonly events: DomainEvents) {}

  /**
   * Before a user gets a file that holds every score and rating about a candidate. Throws RatingMissingError
   * while there are answers that they have to rate first; then their ratings are not changed any more.
   */
  async assertForFile(tx: Tx, principal: Principal, candidateId: string): Promise<void> {
    if (principal.userId === null) return;
    const { name: reviewer } = reviewerOf(principal);
    await this.events.ask(tx, 'ratings.disclosed', { candidateId, reviewer });
  }
}

/** The user who makes the request. Only users have the scopes of operations that need one. */
export function reviewerOf({ userId, actor }: Principal): Reviewer {
  if (userId === null) throw new Error('a key or a token has a scope of users');
  return { userId, name: actor.replace(/^user /, '') };
}
