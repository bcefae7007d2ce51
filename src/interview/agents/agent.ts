import type { InterviewPlan } from '../../vacancies';
import type { ConversationStatus } from '../plan/decision';
import { type InterviewState, waitingQuestion } from '../plan/state';

/**
 * The roles that the interviewer takes. Code chooses, never the model:
 *
 *   greeter ──agreed, known──> screener (hard conditions) <──> technical (the craft)
 *                                  ▲ │ the candidate asks something
 *                                  │ ▼
 *                                answers ──next answer──> back to the question's own agent
 *   closer: whoever is there when the interview ends, and for all that is written after it
 */
export type Agent = 'greeter' | 'screener' | 'technical' | 'answers' | 'closer';

/** Who begins the reply to the next answer. */
export function agentFor(
  plan: InterviewPlan,
  state: InterviewState,
  status: ConversationStatus,
): Agent {
  if (status === 'new') return 'greeter';
  const question = status === 'active' ? waitingQuestion(plan, state) : undefined;
  if (question === undefined) return 'closer';
  return question.kind === 'knockout' ? 'screener' : 'technical';
}
