import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';
import {
  DomainEventHandler,
  DomainEvents,
  type NewComment,
  type PayloadOf,
  type Reviewer,
  type ShownComments,
  type StoredComment,
} from '../common/events';
import { isUuid } from '../common/ids';
import type { Tx } from '../common/uow';
import { ConversationRepository, type ConversationRow } from '../interview';
import { CalibrationRepository } from './calibration.repository';
import { type CommentRow, CommentRepository } from './comment.repository';
import { PersonRatings, judgementOf } from './person-ratings';

/** As many as a team writes about one interview, and no more than a page shows. */
const MAX_COMMENTS = 200;

/**
 * What colleagues say about an interview. A comment tells a verdict as a mark does, so the same rule holds: a user
 * sees those of others on a question after their own rating of it, those on the whole interview when nothing is left
 * to rate, and what was rated is not changed after that. While an interview runs, only one's own are shown.
 */
@Injectable()
export class PersonComments {
  constructor(
    private readonly comments: CommentRepository,
    private readonly ratings: PersonRatings,
    private readonly records: CalibrationRepository,
    private readonly conversations: ConversationRepository,
    private readonly events: DomainEvents,
  ) {}

  /** Throws ConversationUnknownError. */
  @DomainEventHandler('comments.shown')
  async ofInterview(
    tx: Tx,
    { conversationId, by, isOnlyOwn }: PayloadOf<'comments.shown'>,
  ): Promise<ShownComments> {
    const conversation = await this.conversations.get(tx, conversationId);
    const all = conversation.plan.questions.map(({ id }) => id);
    const closed = isRunning(conversation)
      ? all
      : (await this.ratings.toRate(tx, conversation, by)).map(({ questionId }) => questionId);
    const isOpen = ({ questionId }: CommentRow): boolean =>
      questionId === null ? closed.length === 0 : !closed.includes(questionId);
    const isOwn = ({ userId }: CommentRow): boolean => userId === by.userId;
    const comments = (await this.comments.listOf(tx, [conversationId])).filter(
      (one) => isOwn(one) || (!isOnlyOwn && isOpen(one)),
    );
    const about = comments.filter((one) => !isOwn(one)).map(({ questionId }) => questionId);
    const questionIds = about.includes(null) ? all : about.filter((id) => id !== null);
    if (questionIds.length > 0) {
      await this.records.fixRatings(tx, by.name, [{ conversationId, questionIds }]);
    }
    return {
      comments: comments.map((one) => shownTo(by, one)),
      closed,
      isClosed: closed.length > 0,
    };
  }

  /** Throws ConversationUnknownError and CommentRefusedError. */
  @DomainEventHandler('comment.written')
  async write(tx: Tx, comment: NewComment): Promise<StoredComment> {
    const { conversationId, questionId } = comment;
    // Under its lock, so that an erasure comes before it or after.
    const { plan } = await this.conversations.lockKnown(tx, conversationId);
    if (questionId !== null && !plan.questions.some(({ id }) => id === questionId)) {
      throw new CommentRefusedError('The interview has no such question.');
    }
    if ((await this.comments.listOf(tx, [conversationId])).length >= MAX_COMMENTS) {
      throw new CommentRefusedError(
        `The interview has ${String(MAX_COMMENTS)} comments, and takes no more.`,
      );
    }
    const added = await this.comments.add(tx, comment);
    await this.tellTeam(tx, conversationId);
    return shownTo(comment.by, added);
  }

  /** Throws CommentUnknownError, also for a comment of somebody else: nobody learns that there is one. */
  @DomainEventHandler('comment.changed')
  async change(
    tx: Tx,
    { conversationId, id, by, text }: PayloadOf<'comment.changed'>,
  ): Promise<StoredComment | null> {
    const of = { id, conversationId, userId: by.userId };
    if (isUuid(id)) {
      if (text === null && (await this.comments.delete(tx, of))) {
        await this.tellTeam(tx, conversationId);
        return null;
      }
      const edited = text === null ? undefined : await this.comments.edit(tx, { ...of, text });
      if (edited !== undefined) {
        await this.tellTeam(tx, conversationId);
        return shownTo(by, edited);
      }
    }
    throw new CommentUnknownError('You have no such comment on this interview.');
  }

  private tellTeam(tx: Tx, conversationId: string): Promise<void> {
    return this.events.publish(tx, 'team.changed', judgementOf(conversationId, null));
  }
}

/** The comment cannot be stored. The message says why. */
class CommentRefusedError extends ColloquyError {
  readonly code = 'comment_refused';
  readonly retryable = false;
}

/** The user has no such comment. */
class CommentUnknownError extends ColloquyError {
  readonly code = 'comment_unknown';
  readonly retryable = false;
}

function shownTo(
  by: Reviewer,
  { conversationId: _, userId, ...comment }: CommentRow,
): StoredComment {
  return { ...comment, isOwn: userId === by.userId };
}

/** Its answers can still be rated some day. */
function isRunning({ status }: ConversationRow): boolean {
  return status === 'new' || status === 'active' || status === 'handed_over';
}
