import { textsOfPlan } from '../interview';
import type { InterviewPlan } from '../vacancies';
import type { EvidenceMessage } from './evidence';
import { HeardWords, type SpokenLine } from './heard-words';
import type { SaidByQuestion } from './scoring.repository';

/**
 * What a rater is shown of a conversation beside the answer: what the interviewer said in between, which is
 * never evidence, and what the candidate said about this question when another one waited, which is.
 */
export interface RatingContext {
  readonly heard: HeardWords;
  readonly lines: readonly SpokenLine[];
  readonly said: SaidByQuestion;
  readonly questionIds: readonly string[];
}

export function contextOf(
  plan: InterviewPlan,
  said: SaidByQuestion,
  lines: readonly SpokenLine[],
): RatingContext {
  const questionIds = plan.questions.map(({ id }) => id);
  return { heard: heardIn(plan, lines), lines, said, questionIds };
}

/** What the interviewer said or may have said: the lines of the conversation and the texts of its plan. */
export function heardIn(plan: InterviewPlan, lines: readonly SpokenLine[]): HeardWords {
  const ways = plan.questions.flatMap(({ followUp = '', probe = '' }) => [followUp, probe]);
  return new HeardWords([...textsOfPlan(plan), ...ways], lines);
}

/** A message of the candidate, as a rater sees it. */
interface OwnLine {
  readonly id: string;
  /** Where it was said, if not to this question. */
  readonly said?: string;
  readonly text: string;
}

type RatedLine = OwnLine | { readonly interviewer: string };

/** An answer for a request: what may be quoted, with the names that a rater gives it, and all lines in order. */
interface RatedAnswer {
  readonly messages: readonly EvidenceMessage[];
  readonly lines: readonly RatedLine[];
}

/** Lines of the interviewer that are shown with one answer, and their longest text, in UTF-16 units. */
const MOST_LINES = 4;
const LONGEST_LINE = 600;

/** `context` null: nothing else is known than the messages. */
export function ratedAnswer(
  questionId: string,
  own: readonly EvidenceMessage[],
  context: RatingContext | null,
): RatedAnswer {
  const touching = context?.said.touching.get(questionId) ?? [];
  const placeOf = ({ id }: EvidenceMessage) => context?.said.places.get(id);
  const all = [...own, ...touching.filter(({ id }) => !own.some((one) => one.id === id))]
    .map((message) => ({ ...message, seq: placeOf(message)?.seq ?? Infinity }))
    .toSorted(bySeq)
    .map(({ id, text, seq }, index) => ({ id, text, seq, name: `m${String(index + 1)}` }));
  const saidWhere = (message: EvidenceMessage): string | null => {
    const place = placeOf(message);
    if (place === undefined || place.askedId === questionId) return null;
    if (place.askedId === null) return 'after the end';
    const n = (context?.questionIds.indexOf(place.askedId) ?? -1) + 1;
    return n === 0 ? null : `to question ${String(n)}`;
  };
  const here = all.filter((message) => saidWhere(message) === null).map(({ seq }) => seq);
  const shown = [
    ...all.map((message) => ({ seq: message.seq, line: ownLine(message, saidWhere(message)) })),
    ...askedBetween(context, questionId, { from: Math.min(...here), to: Math.max(...here) }),
  ];
  const messages = all.map(({ id, text, name }) => ({ id, text, name }));
  return { messages, lines: shown.toSorted(bySeq).map(({ line }) => line) };
}

function bySeq(one: { readonly seq: number }, other: { readonly seq: number }): number {
  return one.seq === other.seq ? 0 : one.seq - other.seq;
}

function ownLine({ name, text }: { name: string; text: string }, said: string | null): OwnLine {
  return said === null ? { id: name, text } : { id: name, said, text };
}

/** Lines of the interviewer to this question: it waits when the candidate writes next. */
function askedBetween(
  context: RatingContext | null,
  questionId: string,
  { from, to }: { readonly from: number; readonly to: number },
) {
  const places = [...(context?.said.places.values() ?? [])].toSorted(bySeq);
  const waitsAfter = (at: number) => places.find(({ seq }) => seq > at)?.askedId === questionId;
  return (context?.lines ?? [])
    .filter(({ isCandidate, isNotice = false, seq }) => {
      return !isCandidate && !isNotice && seq > from && seq < to && waitsAfter(seq);
    })
    .slice(0, MOST_LINES)
    .map(({ seq, text }) => ({ seq, line: { interviewer: text.slice(0, LONGEST_LINE) } }));
}
