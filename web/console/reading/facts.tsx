/** What is known of the interview before its answers: for what, where it stands, and what was not asked. */
import type { ReactNode } from 'react';
import { consoleTexts } from '../../src/console/texts';
import { useLanguage } from '../language';
import { Moment } from '../moments';
import { useVacancies } from '../vacancies';
import type { InterviewInFull } from './calls';
import { useReadingTexts } from './texts';

export function Facts({ interview, isBlind }: { interview: InterviewInFull; isBlind: boolean }) {
  const { language, texts } = useLanguage();
  const { facts, ...words } = useReadingTexts();
  const { titles } = useVacancies();
  const { vacancy, state, candidate, channel, coverage, questions } = interview;
  const notAsked = questions
    .map((one, index) => ({ ...one, number: index + 1 }))
    .filter((one) => one.state === 'not_asked')
    .map(({ number }) => number);
  const { coverage: inWords, channels } = consoleTexts[language];
  const rows: [string, ReactNode][] = [
    [facts.vacancy, titles.get(vacancy) ?? vacancy],
    [
      facts.state,
      <span className="state" data-state={state}>
        {texts.interviews.states[state]}
      </span>,
    ],
    [facts.contact, isBlind ? null : candidate.contact],
    [
      facts.asked,
      <>
        {inWords(coverage)}
        {notAsked.length > 0 && `. ${words.notAskedYet(notAsked.join(', '))}`}
      </>,
    ],
    [
      facts.opened,
      <>
        <Moment at={interview.openedAt} />, {channels[channel] ?? channel}
      </>,
    ],
    [facts.completed, interview.completedAt && <Moment at={interview.completedAt} />],
    [facts.objected, interview.objectedAt && words.objected],
  ];
  return (
    <dl className="facts">
      {rows
        .filter(([, value]) => value !== null)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
