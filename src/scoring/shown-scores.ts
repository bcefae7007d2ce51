import { Injectable } from '@nestjs/common';
import { COMMAND } from '../common/command-name';
import { ColloquyError } from '../common/errors';
import type { Tx } from '../common/uow';
import { ConversationRepository } from '../interview';
import {
  CalibrationRepository,
  type PersonRating,
  type ScoreVersion,
  isSame,
} from './calibration.repository';
import type { Quote } from './evidence';
import { inputHashesOf } from './score-request';
import { type Overall, type ScoredQuestion, quotesOf } from './scorecard';
import {
  type AnswersByQuestion,
  type ScoreRun,
  ScoringRepository,
  type StoredSample,
} from './scoring.repository';

/**
 * The only way in which people see scores: of certified versions, to a reviewer only after the
 * reviewer's own rating of the same text, and to nobody after an objection to automated processing.
 */
@Injectable()
export class ShownScores {
  constructor(
    private readonly scores: ScoringRepository,
    private readonly records: CalibrationRepository,
    private readonly conversations: ConversationRepository,
  ) {}

  /**
   * Oldest first. `reviewer` null: nobody is named. Throws RatingMissingError, or, if `isPartial`, leaves out what
   * the reviewer has to rate before. An answer that has changed since a scoring cannot be rated as it was, so the
   * scores of the old text are left out for a reviewer who did not rate it in time. The reviewer's ratings of what
   * is shown are not changed any more.
   */
  async ofInterview(
    tx: Tx,
    conversationId: string,
    reviewer: string | null,
    { isPartial }: { readonly isPartial: boolean } = { isPartial: false },
  ): Promise<readonly ShownRun[]> {
    const { runs, toRate } = await this.read(tx, conversationId, reviewer);
    if (toRate.size > 0 && !isPartial) {
      throw new RatingMissingError(
        `${reviewer ?? 'A reviewer'} has to rate first (${COMMAND} score rate): ${[...toRate].join(', ')}.`,
      );
    }
    await this.fix(tx, reviewer, conversationId, runs);
    return runs;
  }

  /**
   * The overall figures of these interviews for a list: of the last scoring, where the reviewer has rated everything
   * of it. Only what is shown fixes ratings.
   */
  async figures(
    tx: Tx,
    conversationIds: readonly string[],
    reviewer: string,
  ): Promise<ReadonlyMap<string, number>> {
    const figures = new Map<string, number>();
    for (const id of await this.records.ratedBy(tx, conversationIds, reviewer)) {
      const { runs } = await this.read(tx, id, reviewer);
      const last = runs.findLast(({ run }) => run.state === 'done');
      if (last?.overall?.kind !== 'figure') continue;
      figures.set(id, last.overall.value);
      await this.fix(tx, reviewer, id, [last]);
    }
    return figures;
  }

  /**
   * By question, the passages that the last scoring quotes of these answers, without what they support. None of
   * a version that is not certified, nor after an objection.
   */
  async quotes(
    tx: Tx,
    conversationId: string,
    answers: AnswersByQuestion,
  ): Promise<ReadonlyMap<string, readonly Quote[]>> {
    const runs = await this.scores.runsOf(tx, [conversationId]);
    const run = runs.findLast(({ state }) => state === 'done');
    if (run === undefined) return new Map();
    const { plan } = await this.conversations.get(tx, conversationId);
    if ((await this.conversations.objectedAt(tx, conversationId)) !== null) return new Map();
    const samples = await this.scores.samples(tx, run.id);
    const hashes = [...new Set(samples.map(({ rubricHash }) => rubricHash))];
    const { shown } = shownQuestions(run, samples, await this.records.certified(tx, hashes));
    const current = inputHashesOf(plan, answers);
    const isCurrent = ({ questionId }: ScoredQuestion): boolean =>
      samples.every((one) => one.questionId !== questionId || current.has(one.inputHash));
    return new Map(shown.filter(isCurrent).map((one) => [one.questionId, quotesOf(one)]));
  }

  /** `toRate`: what the reviewer has to rate before, of answers as they are now. Fixes nothing. */
  private async read(
    tx: Tx,
    conversationId: string,
    reviewer: string | null,
  ): Promise<{ readonly runs: readonly ShownRun[]; readonly toRate: ReadonlySet<string> }> {
    const conversation = await this.conversations.find(tx, conversationId);
    if (conversation === undefined) return NO_RUNS;
    if ((await this.conversations.objectedAt(tx, conversationId)) !== null) return NO_RUNS;
    const ratings = await this.records.ratingsOf(tx, [conversationId]);
    const answers = await this.scores.answers(tx, conversationId);
    const ratable = inputHashesOf(conversation.plan, answers);
    const toRate = new Set<string>();
    const runs: ShownRun[] = [];
    for (const run of await this.scores.runsOf(tx, [conversationId])) {
      const samples = await this.scores.samples(tx, run.id);
      const hashes = [...new Set(samples.map(({ rubricHash }) => rubricHash))];
      const certified = await this.records.certified(tx, hashes);
      const { shown, hidden } = shownQuestions(run, samples, certified);
      if (shown.length > 0 && reviewer === null) {
        throw new RatingMissingError(
          'Say who looks (--by NAME, or the query `reviewer`): a reviewer rates the answers before seeing scores.',
        );
      }
      const missing = unratedSamples(shown, samples, ownOf(ratings, reviewer));
      for (const { questionId, item, inputHash } of missing) {
        if (ratable.has(inputHash)) toRate.add(`${questionId}/${item}`);
      }
      const unrated = [...new Set(missing.map(({ questionId }) => questionId))];
      const { id, state, startedAt, endedAt } = run;
      runs.push({
        run: { id, state, startedAt, endedAt },
        samples: samples.length,
        dropped: samples.filter(({ reading }) => reading.kind === 'dropped').length,
        questions: ratedQuestions(shown, samples, unrated),
        inShadow: hidden,
        unrated,
        overall: hidden.length + unrated.length === 0 ? (run.card?.overall ?? null) : null,
      });
    }
    return { runs, toRate };
  }

  private async fix(
    tx: Tx,
    reviewer: string | null,
    conversationId: string,
    shown: readonly ShownRun[],
  ): Promise<void> {
    const questionIds = shown.flatMap(({ questions }) => questions.map((one) => one.questionId));
    if (reviewer === null || questionIds.length === 0) return;
    await this.records.fixRatings(tx, reviewer, { conversationId, questionIds });
  }
}

const NO_RUNS = { runs: [], toRate: new Set<string>() } as const;

/** What people may see of a scoring. */
export interface ShownRun {
  readonly run: Pick<ScoreRun, 'id' | 'state' | 'startedAt' | 'endedAt'>;
  readonly samples: number;
  readonly dropped: number;
  readonly questions: readonly ScoredQuestion[];
  /** The questions whose rubric, model or prompt is not certified. */
  readonly inShadow: readonly string[];
  /** The questions whose answer has changed since, and that the reviewer did not rate before. */
  readonly unrated: readonly string[];
  /** Null while anything of it is in shadow or unrated. */
  readonly overall: Overall | null;
}

/** The reviewer has to rate first. The message says what. */
export class RatingMissingError extends ColloquyError {
  readonly code = 'rating_missing';
  readonly retryable = false;
}

function ownOf(ratings: readonly PersonRating[], reviewer: string | null): PersonRating[] {
  return ratings.filter(({ rater }) => rater.toLowerCase() === reviewer?.toLowerCase());
}

/** The samples of these questions whose very text the reviewer has not rated by the same criterion. */
function unratedSamples(
  shown: readonly ScoredQuestion[],
  samples: readonly StoredSample[],
  own: readonly PersonRating[],
): StoredSample[] {
  return shown.flatMap((question) =>
    samplesOf(question, samples).filter(
      ({ questionId, item, rubricHash, inputHash }) =>
        !own.some(
          (one) =>
            one.questionId === questionId &&
            one.criterion === item &&
            one.rubricHash === rubricHash &&
            one.inputHash === inputHash,
        ),
    ),
  );
}

/** While a question is left out, so are those without a rated criterion, as in shadow. */
function ratedQuestions(
  shown: readonly ScoredQuestion[],
  samples: readonly StoredSample[],
  unrated: readonly string[],
): readonly ScoredQuestion[] {
  if (unrated.length === 0) return shown;
  return shown.filter(
    (question) => !unrated.includes(question.questionId) && samplesOf(question, samples).length > 0,
  );
}

function samplesOf(
  { questionId }: ScoredQuestion,
  samples: readonly StoredSample[],
): StoredSample[] {
  return samples.filter((one) => one.kind === 'criterion' && one.questionId === questionId);
}

/**
 * The questions of a scoring that people may see, and the ids of those in shadow. A question is shown when
 * each of its criteria was scored by a certified version. One with facts only is shown when no other
 * is hidden: nothing certifies facts. One without an answer has no score, so it is never in shadow; it
 * is shown beside others, and alone makes nothing visible.
 */
export function shownQuestions(
  run: ScoreRun,
  samples: readonly StoredSample[],
  certified: readonly ScoreVersion[],
): { shown: ScoredQuestion[]; hidden: string[] } {
  const questions = run.card?.questions ?? [];
  const isCertified = (question: ScoredQuestion): boolean =>
    samplesOf(question, samples).every((sample) =>
      certified.some((version) => isSame(version, sample)),
    );
  const rated = questions.filter((question) => samplesOf(question, samples).length > 0);
  const unanswered = questions.filter(
    (question) => question.criteria.length > 0 && !rated.includes(question),
  );
  const isAllCertified = rated.length > 0 && rated.every(isCertified);
  const isShown = (question: ScoredQuestion): boolean => {
    if (unanswered.includes(question)) return rated.some(isCertified);
    return rated.includes(question) ? isCertified(question) : isAllCertified;
  };
  return {
    shown: questions.filter(isShown),
    hidden: questions
      .filter((question) => !isShown(question) && !unanswered.includes(question))
      .map(({ questionId }) => questionId),
  };
}
