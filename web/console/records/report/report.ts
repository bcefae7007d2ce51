/** An interview as it is printed: by question, with the words of the candidate and what people and the model gave them. */
import type {
  InterviewInFull,
  RatedQuestion,
  ScoredQuestion,
  Scoring,
  TranscriptPage,
} from '../../reading/calls';
import { isOpen, isRatable } from '../../reading/marks';

export type Line = TranscriptPage['lines'][number];

export interface ReportCriterion {
  name: string;
  /** Undefined: not rated. Null: "not asked". */
  own: number | null | undefined;
  others: readonly { by: string; mark: number | null; note: string | null }[];
  ownNote: string | null;
  /** Undefined: it may not be shown, or there is none. */
  model: number | null | undefined;
}

export interface ReportQuestion {
  id: string;
  number: number;
  text: string;
  state: InterviewInFull['questions'][number]['state'];
  answers: readonly Line[];
  quotes: readonly string[];
  criteria: readonly ReportCriterion[];
  facts: readonly { name: string; value: 'yes' | 'no' | 'with_conditions' | 'unclear' }[];
  /** What others gave is shown after one's own rating. */
  isClosed: boolean;
}

export interface Report {
  questions: readonly ReportQuestion[];
  /** What the candidate said beside the questions. */
  also: readonly Line[];
  /** Null: there is none, or it may not be shown. */
  overall: number | null;
}

interface Sources {
  interview: Pick<InterviewInFull, 'questions'>;
  /** In their order. */
  lines: readonly Line[];
  ratings: readonly RatedQuestion[];
  scorings: readonly Scoring[];
}

export function reportOf({ interview, lines, ratings, scorings }: Sources): Report {
  const own = lines.filter(({ role }) => role === 'user');
  const scoring = scorings.findLast(({ state }) => state === 'done');
  const texts = new Map(lines.map(({ id, text }) => [id, text]));
  const questions = interview.questions.map((question, index): ReportQuestion => {
    const rated = ratings.find(({ id }) => id === question.id);
    const scored = scoring?.questions.find(({ id }) => id === question.id);
    const names = (rated?.criteria ?? scored?.criteria ?? []).map(({ name }) => name);
    return {
      ...{ id: question.id, text: question.text, state: question.state, number: index + 1 },
      answers: own.filter(({ label }) => label?.question === index + 1),
      quotes: quotesOf(texts, rated, scored),
      criteria: names.map((name) => criterionOf(name, rated, scored)),
      facts: (scored?.facts ?? []).map(({ name, value }) => ({ name, value })),
      isClosed: rated !== undefined && isRatable(rated) && !rated.isRated,
    };
  });
  return {
    questions,
    also: own.filter(({ label }) => label?.question == null),
    overall: scoring?.overall ?? null,
  };
}

/**
 * What others gave: once it was shown, the own ratings stay as they are, so that somebody who can still change theirs
 * is asked before. `hidden`: they have rated nothing yet, and see nothing of others.
 */
export type Others = 'shown' | 'offered' | 'hidden';

/** `own`: with nothing of others. `isWanted`: the person has said so. */
export function othersFor(
  own: readonly RatedQuestion[],
  { canRate, isWanted }: { readonly canRate: boolean; readonly isWanted: boolean },
): Others {
  if (!canRate || isWanted || !own.some(isOpen)) return 'shown';
  return own.some((one) => isRatable(one) && one.isRated) ? 'offered' : 'hidden';
}

function criterionOf(
  name: string,
  rated: RatedQuestion | undefined,
  scored: ScoredQuestion | undefined,
): ReportCriterion {
  const given = rated?.criteria.find((one) => one.name === name);
  return {
    name,
    own: given?.own == null ? undefined : given.own.mark,
    ownNote: given?.own?.note ?? null,
    others: (given?.others ?? []).map(({ by, mark, note }) => ({ by, mark, note })),
    model: scored?.criteria.find((one) => one.name === name)?.mark,
  };
}

/**
 * Passages that a scoring quotes, each once, without what they support. A passage that is the whole message is no
 * quote: the answer stands above it.
 */
function quotesOf(
  texts: ReadonlyMap<string, string>,
  rated: RatedQuestion | undefined,
  scored: ScoredQuestion | undefined,
): string[] {
  const shown = [...(scored?.criteria ?? []), ...(scored?.facts ?? [])].flatMap(
    ({ quotes }) => quotes,
  );
  const passages = [...shown, ...(rated?.evidence ?? [])].flatMap(({ messageId, start, end }) => {
    const text = texts.get(messageId);
    if (text === undefined || (start === 0 && end >= text.length)) return [];
    return [text.slice(start, end).trim()];
  });
  return [...new Set(passages)].filter((passage) => passage !== '');
}
