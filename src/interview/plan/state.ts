import type { InterviewPlan, Question } from '../../vacancies';
import { ColloquyError } from '../../common/errors';
import type { QuestionMark } from '../../streams';
import { wordingsOf } from './plan-texts';

/**
 * The position of a conversation in its plan (`conversation.state`, jsonb). Only `decide`, `endState`
 * and `resumedState` change it, and it is stored under the conversation's lock.
 *
 *   asking ──answered, declined, left open──> asking the next ── … ──> over (questionIndex = all)
 *     │ ▲
 *     │ ├─ vague, once ───────> pushed back: the same question, no second push-back
 *     │ ├─ follow_up ─────────> the same question, up to its own `followUps` times; once after a push-back
 *     │ ├─ question, clarify, addition, correction, objection
 *     │ │                     > the same question, up to MAX_ASIDES times; question and clarify where
 *     │ │                       nothing is asked up to MAX_UNASKED times, then they count as an answer
 *     │ ├─ aside ─────────────> nothing changes, up to MAX_SMALL_TALK times
 *     │ ├─ off_topic ─────────> the same question again, up to MAX_OFF_TOPIC times
 *     │ ├─ abusive, once ─────> the same question again, after a sentence that sets a boundary
 *     │ ├─ leave ─────────────> leaving: asked to confirm; anything but leave goes on asking
 *     │ ├─ later, also while leaving or calling
 *     │ │                     > the same question, without a word about it; reminders wait
 *     │ └─ human ─────────────> calling a person: the same
 *     ├─ abusive again ───────> ended (handed over): a person decides how it goes on
 *     ├─ leave while leaving ─> ended (withdrawn)
 *     └─ human while calling ─> ended (handed over)
 *
 *   over ──a must-ask question was left open──> asking it once more (questionIndex stays) ──> over
 *
 * Every question of the plan ends in `settled` (it was asked; how it went) or in `notAsked` (with
 * the reason). No field ever depends on whether an answer was good.
 */
export interface InterviewState {
  readonly v: 1;
  /**
   * The question that waits for an answer; the number of questions when all are through, and while one of
   * them is asked once more.
   */
  readonly questionIndex: number;
  /**
   * The id of the question that waits; null when all are through. A message is stored with it
   * (`open_question` in persistence/sql).
   */
  readonly openQuestion: string | null;
  /** The waiting question has had its one push-back. */
  readonly pushedBack: boolean;
  /** Follow-ups to good answers to the waiting question. */
  readonly followUps: number;
  /**
   * Turns of the waiting question that did not answer it but are in order: questions of the candidate,
   * also about its meaning, additions to earlier answers, corrections and objections.
   */
  readonly asides: number;
  /** Those of them that were read as a question, although the candidate seems to ask nothing. */
  readonly unasked: number;
  /** Turns of the waiting question with the verdict `aside`: a greeting, thanks, "one second". */
  readonly smallTalk: number;
  /** Turns of the waiting question that were off topic. */
  readonly offTopic: number;
  /** The last reply asked whether the candidate wants to stop. */
  readonly isLeaving: boolean;
  /** How often the interview has asked that. */
  readonly leaves: number;
  /** The last reply asked whether a person is to take over. */
  readonly isCallingPerson: boolean;
  /** How often the interview has asked that. */
  readonly personCalls: number;
  /** How often the candidate was abusive, in the whole interview. */
  readonly abuses: number;
  /** How many answers in a row were written in the other language, without a change to it. */
  readonly inOtherLanguage: number;
  /** Pauses of the waiting question that only the model has heard. */
  readonly pauses: number;
  /** The candidate goes on another time: no reminder before this instant (ISO 8601). Null: they said nothing of it. */
  readonly remindFrom: string | null;
  /** Questions that an answer to an earlier question (`in`) touched on before they were asked. */
  readonly touched: readonly { readonly id: string; readonly in: string }[];
  /** Ids of the questions put to the candidate, in order. */
  readonly asked: readonly string[];
  /** Must-ask questions that were left open and have been asked once more, in order. */
  readonly returned: readonly string[];
  /** A question that is asked once more keeps its place, with the outcome of the first time until then. */
  readonly settled: readonly SettledQuestion[];
  readonly notAsked: readonly { readonly id: string; readonly reason: EndReason }[];
}

interface SettledQuestion {
  readonly id: string;
  readonly outcome: Outcome;
}

/**
 * How an asked question went. `weak`: still vague after the push-back. `unanswered`: left open, by
 * the candidate or by the end of the interview. `unanalysed`: only a person can read it.
 */
export type Outcome = 'answered' | 'weak' | 'declined' | 'unanswered' | 'unanalysed';

const READABLE: readonly Outcome[] = ['answered', 'weak', 'unanalysed'];

/** Whether the question has an answer that people can read. */
export function hasAnswer(outcome: Outcome): boolean {
  return READABLE.includes(outcome);
}

/** The candidate has answered something. What was asked for more was an answer. */
export function hasAnswers({ settled, pushedBack, followUps }: InterviewState): boolean {
  return pushedBack || followUps > 0 || settled.some(isRead);
}

/** Why an interview ended before its last question. */
export type EndReason = 'withdrawn' | 'handed_over' | 'declined' | 'expired';

export class InterviewStateUnreadableError extends ColloquyError {
  readonly code = 'interview_state_unreadable';
  readonly retryable = false;
}

/** Nothing is answered yet; `opening` asks the first question with the greeting. */
export function initialState(plan: InterviewPlan): InterviewState {
  const first = plan.questions[0];
  return {
    v: 1,
    ...questionAt(plan, 0),
    ...FRESH_QUESTION,
    leaves: 0,
    personCalls: 0,
    abuses: 0,
    inOtherLanguage: 0,
    remindFrom: null,
    touched: [],
    asked: first === undefined ? [] : [first.id],
    returned: [],
    settled: [],
    notAsked: [],
  };
}

/** The question at this place of the plan is open. Only `advance` opens one once more. */
function questionAt(
  plan: InterviewPlan,
  questionIndex: number,
): Pick<InterviewState, 'questionIndex' | 'openQuestion'> {
  return { questionIndex, openQuestion: plan.questions[questionIndex]?.id ?? null };
}

/** The last reply asked neither whether to stop nor whether a person is to take over. */
export const NO_WISH = { isLeaving: false, isCallingPerson: false } as const;

/** The counters that start again with each question. */
const FRESH_QUESTION = {
  pushedBack: false,
  followUps: 0,
  asides: 0,
  unasked: 0,
  smallTalk: 0,
  offTopic: 0,
  pauses: 0,
  ...NO_WISH,
} as const;

const NOT_RETURNED: readonly string[] = [];
/** What a state lacks that an earlier version has stored. */
const ADDED_SINCE = {
  ...FRESH_QUESTION,
  personCalls: 0,
  inOtherLanguage: 0,
  remindFrom: null,
  returned: NOT_RETURNED,
};

/** The state as it was stored. Throws InterviewStateUnreadableError on a version it does not know. */
export function readState(stored: unknown): InterviewState {
  if (typeof stored === 'object' && stored !== null && 'v' in stored && stored.v === 1) {
    return { ...ADDED_SINCE, ...(stored as InterviewState) };
  }
  throw new InterviewStateUnreadableError('the stored state of the interview cannot be read');
}

/** The question that waits for an answer, if any is left. */
export function waitingQuestion(plan: InterviewPlan, state: InterviewState): Question | undefined {
  const { questionIndex, openQuestion } = state;
  return plan.questions[questionIndex] ?? plan.questions.find(({ id }) => id === openQuestion);
}

/** Whether the question waits for the second time, after all others. */
export function isReturned({ returned }: InterviewState, { id }: Question): boolean {
  return returned.includes(id);
}

/** The waiting question, if the text ends with it in any of its languages: then it asks it. */
export function markQuestion(
  plan: InterviewPlan,
  state: InterviewState,
  text: string,
): QuestionMark | null {
  const question = waitingQuestion(plan, state);
  if (question === undefined) return null;
  const asked = wordingsOf(question).find((one) => text.endsWith(one));
  return asked === undefined ? null : { id: question.id, start: text.length - asked.length };
}

/**
 * For "question 3 of 7"; the first number never goes back. `unanswered`: the numbers of the questions that are
 * through without an answer, because the candidate skipped them or they were left open.
 */
export function progress(plan: InterviewPlan, state: InterviewState): Progress {
  const of = plan.questions.length;
  const waiting = waitingQuestion(plan, state);
  const through = state.settled.filter(({ id }) => id !== waiting?.id);
  const open = through.filter(({ outcome }) => !hasAnswer(outcome)).map(({ id }) => id);
  const unanswered = plan.questions.flatMap(({ id }, index) =>
    open.includes(id) ? [index + 1] : [],
  );
  return { question: Math.min(state.questionIndex + 1, of), of, unanswered };
}

export interface Progress {
  readonly question: number;
  readonly of: number;
  readonly unanswered: readonly number[];
}

/**
 * Settles the waiting question and asks the next one. After the last one, must-ask questions that were left
 * open are asked once more.
 */
export function advance(
  plan: InterviewPlan,
  state: InterviewState,
  outcome: Outcome,
): InterviewState {
  const waiting = waitingQuestion(plan, state);
  if (waiting === undefined) return state;
  const settled = settledAs(state.settled, { id: waiting.id, outcome });
  const questionIndex = Math.min(state.questionIndex + 1, plan.questions.length);
  const through = { ...state, ...FRESH_QUESTION, ...questionAt(plan, questionIndex), settled };
  const next = plan.questions[questionIndex];
  if (next !== undefined) return { ...through, asked: [...state.asked, next.id] };
  const open = leftOpen(plan, through);
  if (open === undefined) return through;
  return { ...through, openQuestion: open.id, returned: [...state.returned, open.id] };
}

/** The first must-ask question without an answer that was asked only once. Skipping one is respected. */
function leftOpen(
  { questions }: InterviewPlan,
  { settled, returned }: InterviewState,
): Question | undefined {
  const open = settled.filter(({ outcome }) => outcome === 'unanswered').map(({ id }) => id);
  return questions.find(
    ({ id, mustAsk }) => mustAsk && open.includes(id) && !returned.includes(id),
  );
}

/** The list with this outcome, in the place that the question has. */
function settledAs(
  settled: readonly SettledQuestion[],
  one: SettledQuestion,
): readonly SettledQuestion[] {
  const isKnown = settled.some(({ id }) => id === one.id);
  return isKnown ? settled.map((each) => (each.id === one.id ? one : each)) : [...settled, one];
}

/** A question that was left without an answer has one after all. */
export function answeredLater(state: InterviewState, id: string): InterviewState {
  const known = state.settled.find((each) => each.id === id);
  if (known === undefined || hasAnswer(known.outcome)) return state;
  return { ...state, settled: settledAs(state.settled, { id, outcome: 'answered' }) };
}

/** The question that got its answer between these two states; null: none. */
export function answeredBetween(before: InterviewState, after: InterviewState): string | null {
  const had = new Set(before.settled.filter(isRead).map(({ id }) => id));
  return after.settled.find((each) => isRead(each) && !had.has(each.id))?.id ?? null;
}

function isRead({ outcome }: SettledQuestion): boolean {
  return hasAnswer(outcome);
}

/**
 * Notes which later questions the answer to the waiting one touches on. Ids that are unknown, already asked
 * or already noted change nothing.
 */
export function noteTouched(
  plan: InterviewPlan,
  state: InterviewState,
  ids: readonly string[],
): InterviewState {
  const waiting = waitingQuestion(plan, state);
  if (waiting === undefined) return state;
  const later = plan.questions.slice(state.questionIndex + 1).map(({ id }) => id);
  const known = new Set(state.touched.map(({ id }) => id));
  const found = later.filter((id) => ids.includes(id) && !known.has(id));
  if (found.length === 0) return state;
  return { ...state, touched: [...state.touched, ...found.map((id) => ({ id, in: waiting.id }))] };
}

/**
 * The question whose answer a message adds to: the named one if it was settled, else the one that was asked
 * last before the waiting one.
 */
export function earlierQuestion(
  { settled, returned, openQuestion }: InterviewState,
  named?: string,
): string | null {
  const ids = settled.map(({ id }) => id);
  const before = [...ids, ...returned].filter((id) => id !== openQuestion);
  return ids.find((id) => id === named) ?? before.at(-1) ?? null;
}

/** The interview stops here: the waiting question stays open, the rest was not asked. */
export function endState(
  plan: InterviewPlan,
  state: InterviewState,
  reason: EndReason,
): InterviewState {
  const marked = new Set([...state.settled, ...state.notAsked].map(({ id }) => id));
  const open = plan.questions.filter(({ id }) => !marked.has(id));
  const wasAsked = ({ id }: Question): boolean => state.asked.includes(id);
  return {
    ...state,
    ...NO_WISH,
    settled: [
      ...state.settled,
      ...open.filter(wasAsked).map(({ id }) => ({ id, outcome: 'unanswered' as const })),
    ],
    notAsked: [
      ...state.notAsked,
      ...open.filter((question) => !wasAsked(question)).map(({ id }) => ({ id, reason })),
    ],
  };
}

/**
 * Undoes `endState` of a hand-over or of silence: the waiting question waits again, and the rest is to be
 * asked.
 */
export function resumedState(plan: InterviewPlan, state: InterviewState): InterviewState {
  const waiting = waitingQuestion(plan, state);
  const isFirstTime = waiting !== undefined && !isReturned(state, waiting);
  return {
    ...state,
    settled: isFirstTime ? state.settled.filter(({ id }) => id !== waiting.id) : state.settled,
    notAsked: state.notAsked.filter(
      ({ reason }) => reason !== 'handed_over' && reason !== 'expired',
    ),
  };
}
