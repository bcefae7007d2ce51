import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';
import {
  DomainEventHandler,
  type GivenRating,
  type PayloadOf,
  type RatedQuestion,
} from '../common/events';
import type { Tx } from '../common/uow';
import { ConversationRepository } from '../interview';
import { type InterviewPlan, rubricOf } from '../vacancies';
import { CalibrationRepository, type PersonRating } from './calibration.repository';
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
 * then on theirs is not changed, so that nobody adapts it. What the command line stores is fixed at once,
 * because it shows scores to whoever types a name. Another text of the answer is another item, rated anew.
 */
@Injectable()
export class PersonRatings {
  constructor(
    private readonly records: CalibrationRepository,
    private readonly scores: ScoringRepository,
    private readonly shown: ShownScores,
    private readonly conversations: ConversationRepository,
  ) {}

  /** Throws ConversationUnknownError. */
  @DomainEventHandler('ratings.shown')
  async ofInterview(
    tx: Tx,
    { conversationId, reviewer, isOnlyOwn }: PayloadOf<'ratings.shown'>,
  ): Promise<readonly RatedQuestion[]> {
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
      await this.records.fixRatings(tx, reviewer, { conversationId, questionIds });
    }
    const view = { language, answers, quotes, ratings: given, reviewer, justFixed: questionIds };
    return ratedQuestions(plan, ratable, view);
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
        'You have been shown what others gave this answer, so your rating of it is not changed any more.',
      );
    }
    return changed.length > 0;
  }

  /**
   * Before a file with all scores and ratings about a candidate is shown: refuses a reviewer whom it would tell
   * others' ratings of answers that they have not rated and still can rate, and fixes their own. Throws
   * RatingMissingError.
   */
  @DomainEventHandler('ratings.disclosed')
  async disclose(tx: Tx, { candidateId, reviewer }: PayloadOf<'ratings.disclosed'>): Promise<void> {
    const missing: string[] = [];
    for (const id of await this.conversations.listOfCandidate(tx, candidateId)) {
      const { plan, status } = await this.conversations.get(tx, id);
      const ratable = ratableIn(plan, await this.scores.answers(tx, id));
      const ratings = await this.records.ratingsOf(tx, [id]);
      const isScored = (await this.scores.runsOf(tx, [id])).length > 0;
      const unrated = ratable.filter((one) => {
        const isTold = isScored || ofOthers(one, ratings, reviewer).length > 0;
        return isTold && status === 'completed' && !isRatedBy(one, ratings, reviewer);
      });
      missing.push(...unrated.map(({ questionId }) => questionId));
      const questionIds = plan.questions.map((question) => question.id);
      await this.records.fixRatings(tx, reviewer, { conversationId: id, questionIds });
    }
    if (missing.length === 0) return;
    throw new RatingMissingError(
      `The file holds what others gave the answers. Rate them first: ${missing.join(', ')}.`,
    );
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

/** A calibration file or a rating cannot be used. The message lists every problem. */
export class RatingRefusedError extends ColloquyError {
  readonly code = 'rating_refused';
  readonly retryable = false;
}

/** Others' ratings were shown, so one's own is not changed any more. */
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
