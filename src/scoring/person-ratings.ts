import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';
import {
  DomainEventHandler,
  DomainEvents,
  type GivenRating,
  type PayloadOf,
  type RatedQuestion,
  type Reviewer,
  type TeamChange,
} from '../common/events';
import type { Tx } from '../common/uow';
import { ConversationRepository, type ConversationRow } from '../interview';
import { type InterviewPlan, rubricOf } from '../vacancies';
import { CalibrationRepository, type PersonRating } from './calibration.repository';
import { CommentRepository } from './comment.repository';
import { type Ratable, isOwn, isRatedBy, ratableIn, ratedQuestions } from './rated-questions';
import { inputHashOf, itemsOf } from './score-request';
import { ScoringRepository } from './scoring.repository';
import { RatingMissingError, ShownScores } from './shown-scores';

/**
 * What people give the answers of an interview.
 *
 *   (none) ──rate──> open ──rate──> open ──others' ratings or scores of the question are shown──> fixed
 *
 * A user sees what others gave an answer, people and the model, after their own rating by every criterion. From
 * then on theirs is not changed, so that nobody adapts it. An export for the candidate tells it without that; whoever
 * got one does not rate what it told. What the command line stores is fixed at once, because it shows scores to
 * whoever types a name. Another text of the answer is another item, rated anew.
 */
@Injectable()
export class PersonRatings {
  constructor(
    private readonly records: CalibrationRepository,
    private readonly comments: CommentRepository,
    private readonly scores: ScoringRepository,
    private readonly shown: ShownScores,
    private readonly conversations: ConversationRepository,
    private readonly events: DomainEvents,
  ) {}

  /** Throws ConversationUnknownError. */
  @DomainEventHandler('ratings.shown')
  async ofInterview(
    tx: Tx,
    { conversationId, by, isOnlyOwn }: PayloadOf<'ratings.shown'>,
  ): Promise<readonly RatedQuestion[]> {
    const { name: reviewer, userId } = by;
    const { plan, language } = await this.conversations.get(tx, conversationId);
    const answers = await this.scores.answers(tx, conversationId);
    const ratable = ratableIn(plan, answers);
    const quotes = await this.shown.quotes(tx, conversationId, answers);
    const all = await this.records.ratingsOf(tx, [conversationId]);
    const given = isOnlyOwn ? all.filter((one) => isOwn(one, reviewer)) : all;
    const seen = ratable.filter((one) => {
      return isRatedBy(one, all, reviewer) && ofOthers(one, given, reviewer).length > 0;
    });
    const questionIds = seen.map(({ questionId }) => questionId);
    if (questionIds.length > 0) {
      await this.records.fixRatings(tx, reviewer, [{ conversationId, questionIds }]);
    }
    const disclosed = await this.records.disclosedTo(tx, conversationId, userId);
    return ratedQuestions(plan, ratable, {
      ...{ language, answers, quotes, reviewer, disclosed },
      ratings: given,
      justFixed: questionIds,
    });
  }

  /**
   * Stores a user's marks of one answer, all or none. The same marks again change nothing, also when they are
   * fixed. Throws ConversationUnknownError, RatingRefusedError, RatingFixedError.
   */
  @DomainEventHandler('rating.given')
  async give(tx: Tx, { conversationId, questionId, by, marks }: GivenRating): Promise<boolean> {
    // Under its lock, so that an erasure comes before all of it or after.
    const { plan, vacancyId, status } = await this.conversations.lockKnown(tx, conversationId);
    if (status !== 'completed') {
      throw new RatingRefusedError('The interview is not finished, so it cannot be rated yet.');
    }
    const question = plan.questions.filter(({ id }) => id === questionId);
    const items = await this.itemsOf(tx, { id: conversationId, vacancyId }, question);
    assertComplete(items, marks);
    const ratings = await this.records.ratingsOf(tx, [conversationId]);
    const own = ratings.filter((one) => isOwn(one, by.name));
    const changed = items.flatMap((item) => {
      const given = marks.find(({ criterion }) => criterion === item.name);
      const before = own.find((one) => one.questionId === questionId && isOfItem(one, item));
      const isSame = before?.mark === given?.mark && before?.note === given?.note;
      return given === undefined || isSame ? [] : [{ itemId: item.id, by, ...given }];
    });
    for (const rating of changed) {
      if (await this.records.putRating(tx, rating)) continue;
      throw new RatingFixedError(
        'You have been shown what others gave this answer, so you do not rate it any more.',
      );
    }
    if (changed.length === 0) return false;
    await this.events.publish(tx, 'team.changed', judgementOf(conversationId, vacancyId));
    return true;
  }

  /**
   * Before a file with all scores and ratings about a candidate is shown: fixes the reviewer's own ratings. Answers
   * that they could still rate and of which it tells something they do not rate any more, or, if `hasToRate`, the
   * file is refused until they have. Throws RatingMissingError.
   */
  @DomainEventHandler('ratings.disclosed')
  async disclose(
    tx: Tx,
    { candidateId, by, hasToRate }: PayloadOf<'ratings.disclosed'>,
  ): Promise<void> {
    const missing: string[] = [];
    for (const id of await this.conversations.listOfCandidate(tx, candidateId)) {
      // Under its lock no rating is given meanwhile.
      const conversation = await this.conversations.lockKnown(tx, id);
      const unrated = await this.unratedOf(tx, conversation, { by, hasComments: !hasToRate });
      if (hasToRate) missing.push(...unrated.map((question) => question.id));
      else await this.discloseItems(tx, conversation, { questions: unrated, to: by });
      const questionIds = conversation.plan.questions.map((question) => question.id);
      await this.records.fixRatings(tx, by.name, [{ conversationId: id, questionIds }]);
    }
    if (missing.length === 0) return;
    throw new RatingMissingError(
      `The file holds what others gave the answers. Rate them first: ${missing.join(', ')}.`,
    );
  }

  /**
   * The questions that the reviewer could still rate and of whose answers the file tells what others have given;
   * `hasComments`: it holds their comments, too.
   */
  private async unratedOf(
    tx: Tx,
    conversation: ConversationRow,
    { by, hasComments }: { readonly by: Reviewer; readonly hasComments: boolean },
  ): Promise<InterviewPlan['questions']> {
    const { id, plan } = conversation;
    const ratings = await this.records.ratingsOf(tx, [id]);
    const isScored = (await this.scores.runsOf(tx, [id])).length > 0;
    const commented = hasComments
      ? (await this.comments.listOf(tx, [id])).filter(({ userId }) => userId !== by.userId)
      : [];
    const unrated = (await this.toRate(tx, conversation, by)).filter(
      (one) =>
        isScored ||
        ofOthers(one, ratings, by.name).length > 0 ||
        commented.some(({ questionId }) => questionId === null || questionId === one.questionId),
    );
    const ids = unrated.map(({ questionId }) => questionId);
    return plan.questions.filter((question) => ids.includes(question.id));
  }

  /** What the reviewer can still rate of a finished interview, and has not. */
  async toRate(
    tx: Tx,
    { id, plan, status }: Pick<ConversationRow, 'id' | 'plan' | 'status'>,
    { name, userId }: Reviewer,
  ): Promise<Ratable[]> {
    if (status !== 'completed') return [];
    const ratings = await this.records.ratingsOf(tx, [id]);
    const disclosed = await this.records.disclosedTo(tx, id, userId);
    return ratableIn(plan, await this.scores.answers(tx, id)).filter(
      (one) => !isRatedBy(one, ratings, name) && !disclosed.some(one.has),
    );
  }

  private async discloseItems(
    tx: Tx,
    conversation: ConversationRow,
    { questions, to }: { readonly questions: InterviewPlan['questions']; readonly to: Reviewer },
  ): Promise<void> {
    const items = await this.itemsOf(tx, conversation, questions);
    const ids = items.map((item) => item.id);
    await this.records.disclose(tx, ids, to.userId);
  }

  /** Each answer to these questions by each criterion, as it stands now; what is new is stored. */
  async itemsOf(
    tx: Tx,
    { id: conversationId, vacancyId }: { readonly id: string; readonly vacancyId: string },
    questions: InterviewPlan['questions'],
  ) {
    const answers = await this.scores.answers(tx, conversationId);
    const found = [];
    for (const rubric of questions.map(rubricOf)) {
      const messages = answers.get(rubric.questionId) ?? [];
      if (messages.length === 0 || rubric.criteria.length === 0) continue;
      const rubricHash = await this.scores.keepRubric(tx, vacancyId, rubric);
      for (const item of itemsOf(rubric)) {
        if (item.kind === 'fact') continue;
        const inputHash = inputHashOf(item, messages);
        const { questionId } = rubric;
        const named = { conversationId, questionId, criterion: item.name, rubricHash, inputHash };
        const id = await this.records.keepItem(tx, named);
        const answer = messages.map(({ text }) => text).join('\n\n');
        found.push({ id, rubric, name: item.name, questionId, answer, rubricHash, inputHash });
      }
    }
    return found;
  }
}

/** Something that was judged in an interview, for the team's pages. */
export function judgementOf(interviewId: string, vacancyId: string | null): TeamChange {
  return { kind: 'judgement', id: interviewId, interviewId, vacancyId };
}

/** A calibration file or a rating cannot be used. The message lists every problem. */
export class RatingRefusedError extends ColloquyError {
  readonly code = 'rating_refused';
  readonly retryable = false;
}

/** Others' ratings were shown, so the user does not rate the answer any more. */
export class RatingFixedError extends ColloquyError {
  readonly code = 'rating_fixed';
  readonly retryable = false;
}

interface Item {
  readonly name: string;
  readonly rubricHash: string;
  readonly inputHash: string;
}

/** Throws RatingRefusedError unless each criterion of the answer has one mark. */
function assertComplete(items: readonly Item[], marks: GivenRating['marks']): void {
  if (items.length === 0) {
    throw new RatingRefusedError(
      'There is nothing to rate: no answer to such a question, or it has no criteria.',
    );
  }
  const names = items.map(({ name }) => name);
  const given = marks.map(({ criterion }) => criterion);
  if (given.length === names.length && names.every((name) => given.includes(name))) return;
  throw new RatingRefusedError(`Rate each criterion of the question once: ${names.join(', ')}.`);
}

function isOfItem({ criterion, rubricHash, inputHash }: PersonRating, item: Item): boolean {
  return criterion === item.name && rubricHash === item.rubricHash && inputHash === item.inputHash;
}

function ofOthers(
  ratable: Ratable,
  ratings: readonly PersonRating[],
  reviewer: string,
): PersonRating[] {
  return ratings.filter((one) => ratable.has(one) && !isOwn(one, reviewer));
}
