import type { InterviewPlan } from '../../vacancies';
import type { Coverage } from '../../notion-sync/reviews';
import type { InterviewState, Outcome } from '../plan/state';

/** Ways of settling a question that leave an answer to read. */
const READABLE: readonly Outcome[] = ['answered', 'weak', 'unanalysed'];

/** How much of the plan was asked and answered. Whether an answer was good is nobody's word here. */
export function coverageOf(plan: InterviewPlan, state: InterviewState): Coverage {
  const mustAsk = plan.questions.filter((question) => question.mustAsk);
  const isCountedWhole = mustAsk.length === 0;
  const counted = new Set((isCountedWhole ? plan.questions : mustAsk).map(({ id }) => id));
  const answered = state.settled.filter(({ outcome }) => READABLE.includes(outcome));
  return {
    counted: isCountedWhole ? 'all' : 'must-ask',
    of: counted.size,
    asked: state.asked.filter((id) => counted.has(id)).length,
    answered: answered.filter(({ id }) => counted.has(id)).length,
  };
}
