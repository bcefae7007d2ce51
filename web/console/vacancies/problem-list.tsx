/** What is wrong with the text, in its order; each mistake leads to its line. */
import type { ApiProblem } from '../api/problem';
import { useProblem } from '../shell/use-problem';
import type { FileProblem } from './calls';
import { useVacanciesTexts } from './texts';

interface ProblemListProps {
  id: string;
  problems: readonly FileProblem[];
  /** This text has been checked. */
  isCurrent: boolean;
  /** Why it could not be. */
  failure: ApiProblem | null;
  onGoTo: (line: number) => void;
}

export function ProblemList({ id, problems, isCurrent, failure, onGoTo }: ProblemListProps) {
  const { check } = useVacanciesTexts();
  const problemWords = useProblem(useVacanciesTexts().problems);
  const summary = problems.length > 0 ? check.title(problems.length) : check.none;
  return (
    <div className="mistakes">
      <p id={id} className="mistakes-summary" role="status" data-wrong={problems.length > 0}>
        {failure !== null
          ? `${check.notChecked} ${problemWords(failure)}`
          : isCurrent
            ? summary
            : check.checking}
      </p>
      {problems.length > 0 && (
        <ol>
          {problems.map(({ line, pointer, reason }, n) => (
            <li key={n}>
              <button type="button" onClick={() => onGoTo(line)}>
                <strong>{check.line(line)}</strong> {placeIn(pointer)}
                {reason}
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** `/questions/3/text` as `questions[3].text: `, as the words of the mistakes name places. */
function placeIn(pointer: string): string {
  if (pointer === '') return '';
  const place = pointer
    .slice(1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
  return `${place}: `;
}
