import type { InterviewPlan, Language } from '../../vacancies';
import type { InterviewState } from './state';
import { textsOf, wording } from '../texts/texts';
import { plainWishOf } from './phrases';

/**
 * The kinds of answers. A verdict is the interviewer's proposal: `decide` accepts or overrides it.
 *
 * - `answered`   the question is answered, well or badly; people judge the content later
 * - `vague`      too little content; gets one push-back
 * - `question`   the candidate asks something about the company, the job or the process
 * - `clarify`    the candidate asks what the question means, or to hear it again
 * - `refusal`    the candidate would rather not answer this question
 * - `off_topic`  neither an answer nor a question about the job
 * - `leave`      the candidate wants to stop
 * - `human`      the candidate wants to talk to a person
 */
export const VERDICTS = [
  'answered',
  'vague',
  'question',
  'clarify',
  'refusal',
  'off_topic',
  'leave',
  'human',
] as const;

export type Verdict = (typeof VERDICTS)[number];

export function isVerdict(value: unknown): value is Verdict {
  return VERDICTS.some((verdict) => verdict === value);
}

/** The states of a conversation (`conversation.status`). Only `active` is interviewed. */
export type ConversationStatus =
  'new' | 'active' | 'completed' | 'declined' | 'withdrawn' | 'handed_over';

/** What is known about a turn besides its verdict. */
export interface TurnContext {
  readonly language: Language;
  readonly status: ConversationStatus;
  readonly isConsented: boolean;
  /**
   * Made only of corrections and of messages that arrived before the previous reply: it adds to
   * an earlier answer.
   */
  readonly isAddendum: boolean;
  /** An addendum made only of corrections: the candidate edited messages that have their reply. */
  readonly isCorrection?: boolean;
  /** The turn's ordinal (interviewStep): chooses among equal wordings. */
  readonly ordinal: number;
  /** The model failed on this answer for good; the scripted interviewer stands in. */
  readonly isUnanalysed?: boolean;
}

/**
 * The reply of a turn and what it changes. The reply is the model's text (if `speaker` is `model` and it
 * is not blank, else `lead`), then `tail`; `completeReply` joins them.
 */
export interface Decision {
  /** The verdict that code accepted; null when no interviewer was involved. */
  readonly verdict: Verdict | null;
  /** Whose text comes first. `code`: the model's text must not be shown. */
  readonly speaker: 'model' | 'code';
  /** Code's own first words. */
  readonly lead: string;
  /** The text that code adds: the next question, the same one again, or the closing. */
  readonly tail: string;
  readonly state: InterviewState;
  /** The status that the conversation takes with this reply; null: unchanged. */
  readonly endsAs: 'completed' | 'withdrawn' | 'handed_over' | null;
  /** The candidate asked something that the documents do not cover, so a person has to reply. */
  readonly isQuestionOpen?: boolean;
}

const PARAGRAPH = '\n\n';

/** Non-blank parts as paragraphs. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join(PARAGRAPH);
}

/** What follows in the reply after `streamed`, the part of the model's text that was let through. */
export function completeReply(decision: Decision, streamed: string): string {
  if (streamed.trim() === '') return paragraphs(decision.lead, decision.tail);
  return decision.tail.trim() === '' ? '' : PARAGRAPH + decision.tail;
}

/** The messages at the start of an interview: the greeting, then the first question. */
export function opening(plan: InterviewPlan): readonly string[] {
  const first = plan.questions[0];
  return first === undefined ? [plan.greeting] : [plan.greeting, first.text];
}

/** Whether a model may see this turn at all. If not, code replies. */
export function isInterviewerWanted(context: TurnContext): boolean {
  return context.status === 'active' && context.isConsented;
}

/** The reply of code to a turn that no interviewer may see. It changes nothing. */
export function decideWithoutModel(state: InterviewState, context: TurnContext): Decision {
  const lead = wordsFor(context);
  return { verdict: null, speaker: 'code', lead, tail: '', state, endsAs: null };
}

function wordsFor({ language, status, isConsented, ordinal }: TurnContext): string {
  const texts = textsOf(language);
  switch (status) {
    case 'completed':
      return wording(texts.thanksForAddition, ordinal);
    case 'handed_over':
      return texts.keptForPerson;
    case 'withdrawn':
    case 'declined':
      return texts.closed;
    case 'new':
    case 'active':
      return isConsented ? wording(texts.thanksForAddition, ordinal) : texts.consentFirst;
  }
}

/**
 * The interviewer without a model: it acknowledges every answer and asks the plan's questions in order.
 * It understands only plain phrases: skip, stop, a person, repeat, yes and no where it asked, and a
 * message that is one question. It also replaces the model after that has failed on an answer for
 * good. It makes no call, and the same turn always gets the same reply.
 */
export class ScriptedInterviewer {
  /** `said`: the whole answer. An addendum never confirms or skips anything. */
  reply(
    turn: Pick<TurnContext, 'language' | 'ordinal' | 'isAddendum'>,
    state: Pick<InterviewState, 'isLeaving' | 'isCallingPerson'>,
    said: string,
  ): { readonly verdict: Verdict; readonly text: string } {
    // The texts have an acknowledgement of their own for an addendum.
    if (turn.isAddendum) return { verdict: 'answered', text: '' };
    const verdict = verdictOf(said, state);
    if (verdict !== 'answered') return { verdict, text: '' };
    return { verdict, text: wording(textsOf(turn.language).acknowledgements, turn.ordinal) };
  }
}

function verdictOf(
  said: string,
  { isLeaving, isCallingPerson }: Pick<InterviewState, 'isLeaving' | 'isCallingPerson'>,
): Verdict {
  const wish = plainWishOf(said);
  switch (wish) {
    case 'yes':
      return isLeaving ? 'leave' : isCallingPerson ? 'human' : 'answered';
    case 'no':
      return isLeaving || isCallingPerson ? 'off_topic' : 'answered';
    case 'skip':
      return 'refusal';
    case 'stop':
      return 'leave';
    case 'person':
      return 'human';
    case 'repeat':
      return 'clarify';
    case 'question':
      return 'question';
    case null:
      return 'answered';
  }
}
