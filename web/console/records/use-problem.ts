/** Why something failed, in the words of these pages or of the shell. */
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { useRecordsTexts } from './texts';

export function useProblem(): (error: unknown) => string {
  const texts = useTexts();
  const records = useRecordsTexts();
  return (error) => {
    const problem = asProblem(error);
    return records.problem(problem) ?? texts.problem(problem);
  };
}
