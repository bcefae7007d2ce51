import { NotFoundError, RefusedInputError, UsageError } from '../../cli/failures';
import { candidateOf, textOf } from '../../cli/option-values';
import { type Result, printableLine, timeText } from '../../cli/output';
import { COMMAND } from '../../common/command-name';
import { isUuid } from '../../common/ids';
import { ConversationRepository } from '../../interview';
import { WHOLE_ANSWER } from '../../vacancies';
import { Calibration, markIn } from '../calibration';
import type { CriterionResult, Overall } from '../scorecard';
import { type ShownRun, ShownScores } from '../shown-scores';
import { MAX_RATER } from './calibrate';
import { withScoring } from './with-scoring';

/**
 * The scorings of an interview: what is certified with its scores, once the reviewer has rated; of the
 * rest only how far it came. Throws RatingMissingError.
 */
export function showScore(options: {
  readonly conversation: string;
  readonly by?: string;
}): Promise<Result> {
  const { conversation: id, by } = options;
  if (!isUuid(id)) throw new UsageError(`--conversation ${id}: expected the id of a conversation`);
  const reviewer = by === undefined ? null : textOf('--by', by, MAX_RATER);
  return withScoring(async (cli) => {
    const conversations = cli.get(ConversationRepository);
    const { objectedAt, runs } = await cli.commit('score.show', async (tx) => {
      if ((await conversations.find(tx, id)) === undefined) {
        throw new NotFoundError(`There is no conversation ${id}.`);
      }
      return {
        objectedAt: await conversations.objectedAt(tx, id),
        runs: await cli.get(ShownScores).ofInterview(tx, id, reviewer),
      };
    });
    const isShadow = runs.every(
      ({ questions, unrated }) => questions.length === 0 && unrated.length === 0,
    );
    return {
      document: {
        conversationId: id,
        objectedAt,
        isShadow,
        runs: runs.map(({ run, samples, dropped, ...scores }) => ({
          ...run,
          samples,
          dropped,
          inShadow: scores.inShadow,
          unrated: scores.unrated,
          ...(scores.questions.length === 0
            ? {}
            : { questions: scores.questions, overall: scores.overall }),
        })),
      },
      lines: runs.length === 0 ? [whyNone(objectedAt)] : runs.flatMap(linesOf),
    };
  });
}

function whyNone(objectedAt: Date | null): string {
  return objectedAt === null
    ? 'This interview was not scored.'
    : `The candidate objected to a rating (${timeText(objectedAt)}), so no score is shown.`;
}

function linesOf(shown: ShownRun): string[] {
  const { run, samples, dropped, questions, inShadow, unrated, overall } = shown;
  const head = `${run.id}  ${timeText(run.startedAt)}  ${run.state}  samples: ${String(samples)}, dropped: ${String(dropped)}`;
  const results = questions.flatMap(({ questionId, criteria, facts }) => [
    ...criteria.map(
      ({ name, weight, result, isDisputed }) =>
        `  ${questionId}, ${printableLine(name)} (${String(weight)} %): ${resultText(result)}${isDisputed ? ', the samples differ: read the answer' : ''}`,
    ),
    ...facts.map(
      ({ name, value }) => `  ${questionId}, ${printableLine(name)}: ${value.replaceAll('_', ' ')}`,
    ),
  ]);
  const hidden =
    inShadow.length === 0
      ? []
      : [
          `  In shadow until certified (${COMMAND} calibrate): ${inShadow.join(', ')}. These scores stay hidden.`,
        ];
  const late =
    unrated.length === 0
      ? []
      : [
          `  Answered differently since, and not rated before that: ${unrated.join(', ')}. These scores stay hidden.`,
        ];
  return [
    head,
    ...results,
    ...(overall === null ? [] : [overallText(overall)]),
    ...hidden,
    ...late,
  ];
}

function resultText(result: CriterionResult): string {
  switch (result.kind) {
    case 'supported':
      return `${String(result.mark)} of 5, by ${String(result.quotes.length)} quotes`;
    case 'absent':
      return `absent (looked for: ${printableLine(result.lookedFor)})`;
    case 'unscorable':
      return `cannot be scored (${result.reason})`;
  }
}

function overallText(overall: Overall): string {
  return overall.kind === 'figure'
    ? `  Overall ${overall.value.toFixed(2)} of 5. A person decides.`
    : `  No overall figure: ${overall.missing.join(', ')} cannot be scored.`;
}

/**
 * Stores what a reviewer gives the answers, each as QUESTION=MARK or QUESTION/CRITERION=MARK. A rating
 * is never changed, because it could be changed after a look at the model's.
 */
export function rateScore(options: {
  readonly candidate: string;
  readonly conversation?: string;
  readonly by: string;
  readonly rating: readonly string[];
}): Promise<Result> {
  const candidateId = candidateOf(options.candidate);
  const by = textOf('--by', options.by, MAX_RATER);
  const ratings = options.rating.map(ratingOf);
  return withScoring(async (cli) => {
    const conversations = cli.get(ConversationRepository);
    await cli.commit('score.rate', async (tx) => {
      const ids = await conversations.listOfCandidate(tx, candidateId);
      const id = interviewIn(ids, options.conversation);
      const conversation = await conversations.find(tx, id);
      if (conversation?.status !== 'completed' || conversation.isPreview) {
        throw new RefusedInputError('The interview is not finished, so it cannot be rated yet.');
      }
      const { questions } = conversation.plan;
      const interview = { id, vacancyId: conversation.vacancyId, questions };
      await cli.get(Calibration).rate(tx, interview, by, ratings);
    });
    return {
      document: { candidateId, by, ratings },
      lines: [`Stored: ${String(ratings.length)} ratings of ${printableLine(by)}.`],
    };
  });
}

function interviewIn(ids: readonly string[], wanted: string | undefined): string {
  const [id] = ids;
  if (id === undefined) throw new NotFoundError('There is no interview of this candidate.');
  if (wanted === undefined && ids.length === 1) return id;
  if (wanted === undefined) {
    throw new UsageError(
      `The candidate has several interviews: add --conversation with one of ${ids.join(', ')}.`,
    );
  }
  const found = ids.find((each) => each === wanted.toLowerCase());
  if (found === undefined) {
    throw new NotFoundError(`The candidate has no conversation ${wanted}.`);
  }
  return found;
}

/** `last=4` rates by the only criterion of a rubric that is one text, `last/depth=4` by a named one. */
function ratingOf(text: string): { questionId: string; criterion: string; mark: number } {
  const [, questionId, criterion = WHOLE_ANSWER, digits = ''] =
    /^([^/=]+)(?:\/(.+))?=([^=]*)$/.exec(text) ?? [];
  const mark = markIn(digits.trim());
  if (questionId === undefined || mark === null) {
    throw new UsageError(
      `--rating ${text}: expected QUESTION=MARK or QUESTION/CRITERION=MARK with a mark from 1 to 5`,
    );
  }
  return { questionId: questionId.trim(), criterion: criterion.trim(), mark };
}
