import type { ApiProblem } from '../api/problem';
import { useTexts } from '../language';
import { useInboxTexts } from './texts';

/** Why a request of the inbox failed, and what to do. */
export function useProblem(): (problem: ApiProblem) => string {
  const texts = useTexts();
  const { problems } = useInboxTexts();
  return (problem) => problems[problem.code] ?? texts.problem(problem);
}
