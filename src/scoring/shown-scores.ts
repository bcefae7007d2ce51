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
  type ReadSample,
  type SampleVersion,
  ScoringRepository,
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
    const { runs, toRate } =
      (await this.read(tx, [conversationId], reviewer)).get(conversationId) ?? NO_RUNS;
    if (toRate.size > 0 && !isPartial) {
      throw new RatingMissingError(
        `${reviewer ?? 'A reviewer'} has to rate first (${COMMAND} score rate): ${[...toRate].join(', ')}.`,
      );
    }
    await this.fix(tx, reviewer, [{ conversationId, runs }]);
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
    const rated = await this.records.ratedBy(tx, conversationIds, reviewer);
    const figures = new Map<string, number>();
    const shown = [];
    for (const [conversationId, { runs }] of await this.read(tx, rated, reviewer)) {
      const last = runs.findLast(({ run }) => run.state === 'done');
      if (last?.overall?.kind !== 'figure') continue;
      figures.set(conversationId, last.overall.value);
      shown.push({ conversationId, runs: [last] });
    }
    await this.fix(tx, reviewer, shown);
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

  /** By interview, without those of which nothing may be shown. Fixes nothing. As many statements as for one. */
  private async read(
    tx: Tx,
    conversationIds: readonly string[],
    reviewer: string | null,
  ): Promise<ReadonlyMap<string, ReadRuns>> {
    if (conversationIds.length === 0) return new Map();
    const objected = await this.conversations.listObjected(tx, conversationIds);
    const found = await this.conversations.findAll(tx, conversationIds);
    const conversations = found.filter(({ id }) => !objected.has(id));
    const ids = conversations.map(({ id }) => id);
    const runs = await this.scores.runsOf(tx, ids);
    const samples = await this.scores.samplesOf(
      tx,
      runs.map(({ id }) => id),
    );
    const hashes = new Set([...samples.values()].flat().map(({ rubricHash }) => rubricHash));
    const certified = await this.records.certified(tx, [...hashes]);
    const ratings = await this.records.ratingsOf(tx, ids);
    const answers = await this.scores.answersOf(tx, ids);
    return new Map(
      conversations.map(({ id, plan }) => {
        const own = {
          runs: runs.filter(({ conversationId }) => conversationId === id),
          ratings: ownOf(ratings, reviewer).filter(({ conversationId }) => conversationId === id),
          ratable: inputHashesOf(plan, answers.get(id) ?? new Map()),
        };
        return [id, readRuns(own, { samples, certified, reviewer })];
      }),
    );
  }

  private async fix(
    tx: Tx,
    reviewer: string | null,
    shown: readonly { readonly conversationId: string; readonly runs: readonly ShownRun[] }[],
  ): Promise<void> {
    if (reviewer === null) return;
    const questions = shown.map(({ conversationId, runs }) => ({
      conversationId,
      questionIds: runs.flatMap((run) => run.questions.map(({ questionId }) => questionId)),
    }));
    await this.records.fixRatings(tx, reviewer, questions);
  }
}

/** `toRate`: what the reviewer has to rate before, of answers as they are now. */
interface ReadRuns {
  readonly runs: readonly ShownRun[];
  readonly toRate: ReadonlySet<string>;
}

/** The scorings of an interview as the reviewer may see them. `ratings`: the reviewer's; `ratable`: see ShownScores. */
function readRuns(
  of: {
    readonly runs: readonly ScoreRun[];
    readonly ratings: readonly PersonRating[];
    readonly ratable: ReadonlySet<string>;
  },
  {
    samples: samplesByRun,
    certified,
    reviewer,
  }: {
    readonly samples: ReadonlyMap<string, readonly ReadSample[]>;
    readonly certified: readonly ScoreVersion[];
    readonly reviewer: string | null;
  },
): ReadRuns {
  const toRate = new Set<string>();
  const runs: ShownRun[] = [];
  for (const run of of.runs) {
    const samples = samplesByRun.get(run.id) ?? [];
    const { shown, hidden } = shownQuestions(run, samples, certified);
    if (shown.length > 0 && reviewer === null) {
      throw new RatingMissingError(
        'Say who looks (--by NAME, or the query `reviewer`): a reviewer rates the answers before seeing scores.',
      );
    }
    const missing = unratedSamples(shown, samples, of.ratings);
    for (const { questionId, item, inputHash } of missing) {
      if (of.ratable.has(inputHash)) toRate.add(`${questionId}/${item}`);
    }
    const unrated = [...new Set(missing.map(({ questionId }) => questionId))];
    const { id, state, startedAt, endedAt } = run;
    runs.push({
      run: { id, state, startedAt, endedAt },
      samples: samples.length,
      dropped: samples.filter(({ isDropped }) => isDropped).length,
      questions: ratedQuestions(shown, samples, unrated),
      inShadow: hidden,
      unrated,
      overall: hidden.length + unrated.length === 0 ? (run.card?.overall ?? null) : null,
    });
  }
  return { runs, toRate };
}

const NO_RUNS: ReadRuns = { runs: [], toRate: new Set() };

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
  samples: readonly SampleVersion[],
  own: readonly PersonRating[],
): SampleVersion[] {
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
  samples: readonly SampleVersion[],
  unrated: readonly string[],
): readonly ScoredQuestion[] {
  if (unrated.length === 0) return shown;
  return shown.filter(
    (question) => !unrated.includes(question.questionId) && samplesOf(question, samples).length > 0,
  );
}

function samplesOf(
  { questionId }: ScoredQuestion,
  samples: readonly SampleVersion[],
): SampleVersion[] {
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
  samples: readonly SampleVersion[],
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
