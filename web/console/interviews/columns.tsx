/** The columns of the list. */
import { createColumnHelper, tableFeatures } from '@tanstack/react-table';
import { Link } from 'wouter';
import type { Interview } from '../api/calls';
import { useKindNames } from '../kinds';
import { useTexts } from '../language';
import { Ago } from '../moments';
import { interviewAt } from '../places';
import type { Dictionary } from '../texts/dictionary';
import type { Titles } from '../vacancies';
import { Readers } from './readers';
import type { Selection } from './selection';
import { useInterviewTexts } from './texts';

export const features = tableFeatures({});
const helper = createColumnHelper<typeof features, Interview>();

interface ColumnsOptions {
  texts: Dictionary;
  own: ReturnType<typeof useInterviewTexts>;
  titles: Titles;
  /** Null: nothing is selected here. */
  selection: Selection | null;
  toggle: (interview: Interview) => void;
}

export function columnsOf({ texts, own, titles, selection, toggle }: ColumnsOptions) {
  const { interviews } = texts;
  return helper.columns([
    helper.accessor((one) => one.candidate.name ?? interviews.nameless, {
      id: 'name',
      header: interviews.name,
      cell: ({ row, getValue }) => (
        <>
          {selection !== null && (
            <label className="select">
              <input
                type="checkbox"
                aria-label={own.select(getValue())}
                checked={selection.has(row.original.id)}
                onChange={() => toggle(row.original)}
              />
            </label>
          )}
          <Link className="row-link" href={interviewAt(row.original.id)}>
            {getValue()}
          </Link>
          <Readers interviewId={row.original.id} />
        </>
      ),
    }),
    helper.accessor((one) => titles.get(one.vacancy) ?? one.vacancy, {
      id: 'vacancy',
      header: interviews.vacancy,
      cell: ({ getValue }) => getValue(),
    }),
    helper.accessor('state', {
      header: interviews.state,
      cell: ({ row }) => <State interview={row.original} />,
    }),
    helper.accessor('progress', {
      header: interviews.progress,
      cell: ({ row }) => <Progress interview={row.original} />,
    }),
    helper.accessor((one) => one.seenAt ?? one.openedAt, {
      id: 'updated',
      header: own.seen,
      cell: ({ getValue }) => <Ago at={getValue()} />,
    }),
  ]);
}

/** What waits for a person goes before how far the interview is. */
function State({ interview: { state, waits } }: { interview: Interview }) {
  const { interviews } = useTexts();
  const kinds = useKindNames();
  if (waits === null) {
    return (
      <span className="state" data-state={state}>
        {interviews.states[state]}
      </span>
    );
  }
  return (
    <span className="state" data-state="needs_person">
      <span className="state-words">{kinds[waits.kind]}</span>
      <span className="state-since">
        <Ago at={waits.since} />
      </span>
    </span>
  );
}

const ENDED = new Set<Interview['state']>([
  'finished',
  'scored',
  'decided',
  'withdrawn',
  'expired',
]);

/** A running interview is at a question; an ended one has some with an answer. */
function Progress({ interview: { state, progress } }: { interview: Interview }) {
  const { interviews } = useTexts();
  if (state === 'opened') return <span className="soft">{interviews.notBegun}</span>;
  const { question, of, unanswered } = progress;
  const isComplete = state === 'finished' || state === 'scored' || state === 'decided';
  const through = isComplete ? of : question - 1;
  const words = isComplete
    ? interviews.answered(of - unanswered.length, of)
    : ENDED.has(state)
      ? interviews.endedAt(question, of)
      : interviews.at(question, of);
  return (
    <span className="progress">
      <span className="progress-line" aria-hidden="true">
        <span style={{ width: `${String(of === 0 ? 0 : (through / of) * 100)}%` }} />
      </span>
      {words}
    </span>
  );
}
