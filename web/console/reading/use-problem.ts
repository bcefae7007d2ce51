/** How a request failed, in the words of this page or of the console. */
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { useReadingTexts } from './texts';

export function useProblem(): (error: unknown) => string {
  const { problem } = useTexts();
  const { problems } = useReadingTexts();
  return (error) => {
    const failure = asProblem(error);
    return problems[failure.code] ?? problem(failure);
  };
}
