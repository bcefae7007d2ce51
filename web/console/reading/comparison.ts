/**
 * What the model and colleagues gave, and what they say. It is asked for when the person wants it, because from then
 * on their own ratings stay as they are. Where they stay already, or nothing can be rated, it is read at once.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { readComments, readRatings, readScorecard } from './calls';
import type { Comments, RatedQuestion, ScoredQuestion, Scoring } from './calls';
import { ALL_COMMENTS, ALL_RATINGS, OWN_RATINGS, SCORECARD } from './keys';
import { isOpen } from './marks';

export interface Comparison {
  /** By question; null: it is not shown. */
  readonly others: ReadonlyMap<string, RatedQuestion> | null;
  readonly scoring: Scoring | null;
  readonly comments: Comments | null;
  readonly error: unknown;
  readonly show: () => Promise<void>;
}

export function useComparison(
  id: string,
  own: readonly RatedQuestion[] | undefined,
  canRate: boolean,
): Comparison {
  const queries = useQueryClient();
  const enabled = own !== undefined && !(canRate && own.some(isOpen));
  const ratings = useQuery({
    queryKey: ALL_RATINGS(id),
    queryFn: () => readRatings(id, false),
    enabled,
  });
  const scores = useQuery({ queryKey: SCORECARD(id), queryFn: () => readScorecard(id), enabled });
  const comments = useQuery({
    queryKey: ALL_COMMENTS(id),
    queryFn: () => readComments(id, false),
    enabled,
  });
  const show = async (): Promise<void> => {
    const all = { throwOnError: true };
    await Promise.all([scores.refetch(all), comments.refetch(all)]);
    // After the other two, which may have fixed something.
    const { data } = await ratings.refetch(all);
    queries.setQueryData(OWN_RATINGS(id), data);
  };
  const questions = ratings.data?.questions;
  return {
    others:
      questions === undefined
        ? null
        : new Map(questions.map((question) => [question.id, question])),
    scoring: lastOf(scores.data?.scorings),
    comments: comments.data ?? null,
    error: ratings.error ?? scores.error ?? comments.error,
    show,
  };
}

/** The newest scoring that is finished. */
function lastOf(scorings: readonly Scoring[] | undefined): Scoring | null {
  return scorings?.findLast(({ state }) => state === 'done') ?? null;
}

export function modelOf(scoring: Scoring | null, questionId: string): ScoredQuestion | null {
  return scoring?.questions.find(({ id }) => id === questionId) ?? null;
}
