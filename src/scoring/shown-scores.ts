import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';
import type { Tx } from '../common/uow';
import { isSame } from './calibration';
import { CalibrationRepository, type ScoreVersion } from './calibration.repository';
import type { Overall, ScoredQuestion } from './scorecard';
import { type ScoreRun, ScoringRepository, type StoredSample } from './scoring.repository';

/** The reviewer has to rate first. The message says what. */
export class RatingMissingError extends ColloquyError {
  readonly code = 'rating_missing';
  readonly retryable = false;
}

/** What people may see of a scoring. */
export interface ShownRun {
  readonly run: Pick<ScoreRun, 'id' | 'state' | 'startedAt' | 'endedAt'>;
  readonly samples: number;
  readonly dropped: number;
  readonly questions: readonly ScoredQuestion[];
  /** The questions whose rubric, model or prompt is not certified. */
  readonly inShadow: readonly string[];
  /** Null while anything of it is in shadow. */
  readonly overall: Overall | null;
}

/**
 * The only way in which people see scores: of certified versions, and to a reviewer only after the
 * reviewer's own rating of the same answers.
 */
@Injectable()
export class ShownScores {
  constructor(
    private readonly scores: ScoringRepository,
    private readonly records: CalibrationRepository,
  ) {}

  /** Oldest first. `reviewer` null: nobody is named. Throws RatingMissingError. */
  async ofInterview(tx: Tx, conversationId: string, reviewer: string | null): Promise<ShownRun[]> {
    const runs: ShownRun[] = [];
    for (const run of await this.scores.runsOf(tx, [conversationId])) {
      const samples = await this.scores.samples(tx, run.id);
      const hashes = [...new Set(samples.map(({ rubricHash }) => rubricHash))];
      const certified = await this.records.certified(tx, hashes);
      const { shown, hidden } = shownQuestions(run, samples, certified);
      if (shown.length > 0) await this.assertRated(tx, conversationId, reviewer, shown, samples);
      const { id, state, startedAt, endedAt } = run;
      runs.push({
        run: { id, state, startedAt, endedAt },
        samples: samples.length,
        dropped: samples.filter(({ reading }) => reading.kind === 'dropped').length,
        questions: shown,
        inShadow: hidden,
        overall: hidden.length === 0 ? (run.card?.overall ?? null) : null,
      });
    }
    return runs;
  }

  private async assertRated(
    tx: Tx,
    conversationId: string,
    reviewer: string | null,
    shown: readonly ScoredQuestion[],
    samples: readonly StoredSample[],
  ): Promise<void> {
    if (reviewer === null) {
      throw new RatingMissingError(
        'Say who looks (--by NAME): a reviewer rates the answers before seeing scores.',
      );
    }
    const own = (await this.records.ratingsOf(tx, [conversationId])).filter(
      ({ rater }) => rater.toLowerCase() === reviewer.toLowerCase(),
    );
    const missing = shown.flatMap(({ questionId, rubricHash, criteria }) =>
      criteria
        .filter(({ name }) =>
          samples.some((one) => one.questionId === questionId && one.item === name),
        )
        .filter(
          ({ name }) =>
            !own.some(
              (one) =>
                one.questionId === questionId &&
                one.criterion === name &&
                one.rubricHash === rubricHash,
            ),
        )
        .map(({ name }) => `${questionId}/${name}`),
    );
    if (missing.length === 0) return;
    throw new RatingMissingError(
      `${reviewer} has to rate first (colloquy score rate): ${missing.join(', ')}.`,
    );
  }
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
  const samplesOf = ({ questionId }: ScoredQuestion): StoredSample[] =>
    samples.filter((sample) => sample.kind === 'criterion' && sample.questionId === questionId);
  const isCertified = (question: ScoredQuestion): boolean =>
    samplesOf(question).every((sample) => certified.some((version) => isSame(version, sample)));
  const rated = questions.filter((question) => samplesOf(question).length > 0);
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
