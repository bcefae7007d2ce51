import type { InterviewPlan } from '../../vacancies';
import { textsOf } from '../texts/texts';
import { closingIn } from './plan-texts';
import type { InterviewState } from './state';
import { paragraphs, type TurnContext, type TurnDecision } from './verdicts';

/**
 * What candidates want to know: they are asked for it before the closing, and answered from the vacancy's
 * documents at any time after it.
 */

/** A candidate asks something after the end, and a model can answer it from documents. */
export function isAnswerWanted({
  status,
  isConsented,
  isAsking,
  isObjecting,
  canAnswer,
}: TurnContext): boolean {
  const isLate = status === 'completed' && isConsented;
  return isLate && isAsking === true && isObjecting !== true && canAnswer === true;
}

/** The documents hold the answer, and the model says it. Nothing else changes. */
export function answerAfterEnd(state: InterviewState, context: TurnContext): TurnDecision {
  const lead = textsOf(context.language).noSource;
  return { verdict: 'question', speaker: 'model', lead, tail: '', state, endsAs: null };
}

/** The closing, after "what would you like to know?" where questions can be answered. */
export function closingWith(plan: InterviewPlan, { language, canAnswer }: TurnContext): string {
  const closing = closingIn(plan, language);
  return canAnswer === true ? paragraphs(textsOf(language).yourQuestions, closing) : closing;
}
