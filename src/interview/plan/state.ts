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
 *     │ ├─ follow_up ─────────> the same question, up to its own `followUps` times
 *     │ ├─ question, clarify, addition, correction, objection
 *     │ │                     > the same question, up to MAX_ASIDES times
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
 * Every question of the plan ends in `settled` (it was asked; how it went) or in `notAsked` (with
 * the reason). No field ever depends on whether an answer was good.
 */
export interface InterviewState {
  readonly v: 1;
  /** The question that waits for an answer; the number of questions when all are through. */
  readonly questionIndex: number;
  /** Its id; null when all are through. A message is stored with it (`open_question` in persistence/sql). */
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
  /** Pauses of the waiting question that only the model has heard. */
  readonly pauses: number;
  /** The candidate goes on another time: no reminder before this instant (ISO 8601). Null: they said nothing of it. */
  readonly remindFrom: string | null;
  /** Questions that an answer to an earlier question (`in`) touched on before they were asked. */
  readonly touched: readonly { readonly id: string; readonly in: string }[];
  /** Ids of the questions put to the candidate, in order. */
  readonly asked: readonly string[];
  readonly settled: readonly { readonly id: string; readonly outcome: Outcome }[];
  readonly notAsked: readonly { readonly id: string; readonly reason: EndReason }[];
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
    remindFrom: null,
    touched: [],
    asked: first === undefined ? [] : [first.id],
    settled: [],
    notAsked: [],
  };
}

/** The one place that decides which question is open. */
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
  offTopic: 0,
  pauses: 0,
  ...NO_WISH,
} as const;

/** What a state lacks that an earlier version has stored. */
const ADDED_SINCE = { pauses: 0, remindFrom: null } as const;

/** The state as it was stored. Throws InterviewStateUnreadableError on a version it does not know. */
export function readState(stored: unknown): InterviewState {
  if (typeof stored === 'object' && stored !== null && 'v' in stored && stored.v === 1) {
    return { ...ADDED_SINCE, ...(stored as InterviewState) };
  }
  throw new InterviewStateUnreadableError('the stored state of the interview cannot be read');
}

/** The question that waits for an answer, if any is left. */
export function waitingQuestion(plan: InterviewPlan, state: InterviewState): Question | undefined {
  return plan.questions[state.questionIndex];
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

/** For "question 3 of 7"; the first number never goes back. */
export function progress(
  plan: InterviewPlan,
  state: InterviewState,
): { readonly question: number; readonly of: number } {
  const of = plan.questions.length;
  return { question: Math.min(state.questionIndex + 1, of), of };
}

/** Settles the waiting question and asks the next one. */
export function advance(
  plan: InterviewPlan,
  state: InterviewState,
  outcome: Outcome,
): InterviewState {
  const waiting = waitingQuestion(plan, state);
  if (waiting === undefined) return state;
  const next = plan.questions[state.questionIndex + 1];
  return {
    ...state,
    ...FRESH_QUESTION,
    ...questionAt(plan, state.questionIndex + 1),
    asked: next === undefined ? state.asked : [...state.asked, next.id],
    settled: [...state.settled, { id: waiting.id, outcome }],
  };
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

/** The question whose answer a message adds to: the named one if it was settled, else the last one. */
export function earlierQuestion(state: InterviewState, named?: string): string | null {
  const ids = state.settled.map(({ id }) => id);
  return ids.find((id) => id === named) ?? ids.at(-1) ?? null;
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
  return {
    ...state,
    settled: state.settled.filter(({ id }) => id !== waiting?.id),
    notAsked: state.notAsked.filter(
      ({ reason }) => reason !== 'handed_over' && reason !== 'expired',
    ),
  };
}
