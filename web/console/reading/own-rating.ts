/**
 * The signed-in person's rating of one answer. It is stored whole: as soon as each criterion has a mark, and after
 * that with each change.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { asProblem } from '../api/problem';
import type { ApiProblem } from '../api/problem';
import { rate } from './calls';
import type { RatedQuestion } from './calls';
import { markDrafts, useDraft } from './drafts';
import { INTERVIEW, OWN_RATINGS } from './keys';
import { marksOf, shownMark } from './marks';
import type { Draft, DraftMark } from './marks';

export interface OwnRating {
  /** What the page shows of it: the draft over what is stored. */
  markOf: (criterion: string) => DraftMark;
  give: (criterion: string, mark: number | null) => void;
  /** A note is stored when its field is left. */
  write: (criterion: string, note: string) => void;
  store: () => void;
  /** `open`: it has every mark, and a note is being written. */
  state: 'none' | 'incomplete' | 'open' | 'saving' | 'saved' | 'failed';
  problem: ApiProblem | null;
}

export function useOwnRating(interviewId: string, question: RatedQuestion): OwnRating {
  const key = `${interviewId}/${question.id}`;
  const draft = useDraft(markDrafts, key);
  const queries = useQueryClient();
  const saving = useMutation({
    // One after the other, so that the last change is stored last.
    scope: { id: `rating/${key}` },
    mutationFn: async () => {
      const given = markDrafts.get(key);
      const marks = given === undefined ? null : marksOf(question, given);
      if (given === undefined || marks === null) return;
      const stored = await rate(interviewId, question.id, marks);
      // A reading that began before it would bring back what was.
      await queries.cancelQueries({ queryKey: OWN_RATINGS(interviewId) });
      queries.setQueryData(OWN_RATINGS(interviewId), stored);
      markDrafts.drop(key, given);
    },
    onError: async (error) => {
      const { code } = asProblem(error);
      // In another tab others' ratings were shown: what is stored holds.
      if (code === 'rating_fixed') markDrafts.drop(key);
      await queries.invalidateQueries({ queryKey: OWN_RATINGS(interviewId) });
      if (code === 'conversation_unknown') {
        await queries.invalidateQueries({ queryKey: INTERVIEW(interviewId) });
      }
    },
  });
  const change = (criterion: string, changed: DraftMark): Draft => {
    const before = markDrafts.get(key) ?? {};
    const next = { ...before, [criterion]: { ...before[criterion], ...changed } };
    markDrafts.keep(key, next);
    return next;
  };
  const store = (): void => {
    const given = markDrafts.get(key);
    if (given !== undefined && marksOf(question, given) !== null) saving.mutate();
  };
  return {
    markOf: (criterion) => shownMark(question, draft, criterion),
    give: (criterion, mark) => {
      change(criterion, { mark });
      store();
    },
    write: (criterion, note) => void change(criterion, { note }),
    store,
    state: saving.isPending ? 'saving' : stateOf(question, draft, saving.error !== null),
    problem: saving.error === null ? null : asProblem(saving.error),
  };
}

function stateOf(
  question: RatedQuestion,
  draft: Draft | undefined,
  hasFailed: boolean,
): OwnRating['state'] {
  if (draft === undefined) return question.isRated ? 'saved' : 'none';
  if (hasFailed) return 'failed';
  return marksOf(question, draft) === null ? 'incomplete' : 'open';
}
