/** Why a request failed, in the words of the page, by the problem's code, or in those of the whole console. */
import { asProblem } from '../api/problem';
import { useTexts } from '../language';

export function useProblem(own: Readonly<Record<string, string>>): (error: unknown) => string {
  const texts = useTexts();
  return (error) => {
    const problem = asProblem(error);
    return own[problem.code] ?? texts.problem(problem);
  };
}
