import type { InterviewPlan } from '../../vacancies';
import { textsOf } from '../texts/texts';
import { closingIn } from './plan-texts';
import type { InterviewState } from './state';
import { paragraphs, type TurnContext, type TurnDecision } from './verdicts';

/**
 * What candidates want to know: they are invited to ask behind the closing, and answered from the vacancy's
 * documents at any time after it. The interview is complete by then: nobody has to ask.
 */

/**
 * A candidate seems to ask something after the end, also without a question mark ("tell me about the team"), and
 * a model can answer it from documents.
 */
export function isAnswerWanted(context: TurnContext): boolean {
  const { status, isConsented, isAsking, mayAsk, wish, isGoodbye, canAnswer } = context;
  const isLate = status === 'completed' && isConsented && canAnswer === true;
  const isAsked = isAsking === true || mayAsk === true;
  return isLate && isAsked && wish !== 'objection' && isGoodbye !== true;
}

/** The documents hold the answer, and the model says it. Nothing else changes. */
export function answerAfterEnd(state: InterviewState, context: TurnContext): TurnDecision {
  const lead = textsOf(context.language).noSource;
  return { verdict: 'question', speaker: 'model', lead, tail: '', state, endsAs: null };
}

/** An addition after the end that also asks something: its reply is of code, so that a person has to answer. */
export function withLateQuestion(context: TurnContext, decision: TurnDecision): TurnDecision {
  if (decision.isQuestionOpen === true) return decision;
  const { noSourceToo } = textsOf(context.language);
  return { ...decision, lead: paragraphs(decision.lead, noSourceToo), isQuestionOpen: true };
}

/** The closing, and where questions can be answered the invitation to ask. */
export function closingWith(
  plan: InterviewPlan,
  { language, canAnswer }: Pick<TurnContext, 'language' | 'canAnswer'>,
): string {
  const closing = closingIn(plan, language);
  return canAnswer === true ? paragraphs(closing, textsOf(language).yourQuestions) : closing;
}
