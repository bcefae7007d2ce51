/** A report of one interview, for the printer or as a PDF: who printed it and when stands on it. */
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { asProblem } from '../../api/problem';
import { useTexts, useLanguage } from '../../language';
import { momentOf } from '../../moments';
import { HOME } from '../../places';
import { BusyButton } from '../../shell/busy-button';
import { useKeys } from '../../shell/keyboard';
import { Page } from '../../shell/page';
import { NotLoaded, Waiting } from '../../shell/sentence';
import { useSession } from '../../shell/session';
import { ReportAnswer, ReportQuestionView } from './question';
import { useReportTexts } from './texts';
import { useReport } from './use-report';
import type { WholeReport } from './use-report';
import './report.css';

export function ReportPage({ id }: { id: string }) {
  const words = useReportTexts();
  const { data, error, refetch, isPlaceholderData, showOthers } = useReport(id);
  useKeys({ p: () => data !== undefined && window.print() });
  return (
    <div className="report-page">
      <Page
        title={words.title}
        actions={
          <>
            <Link href={`${HOME}/${id}`} className="report-back">
              {words.back}
            </Link>
            <Button disabled={data === undefined} onClick={() => window.print()}>
              {words.print}
            </Button>
          </>
        }
      >
        {data === undefined &&
          (error === null ? <Waiting /> : <NotLoaded error={error} onAgain={refetch} />)}
        {data?.others === 'offered' && (
          <OthersOffer
            isBusy={isPlaceholderData}
            error={error}
            onShow={isPlaceholderData ? refetch : showOthers}
          />
        )}
        {data !== undefined && <Sheet report={data} />}
      </Page>
    </div>
  );
}

interface OthersOfferProps {
  isBusy: boolean;
  error: unknown;
  onShow: () => unknown;
}

/** Of the page, not of the paper. */
function OthersOffer({ isBusy, error, onShow }: OthersOfferProps) {
  const words = useReportTexts();
  const texts = useTexts();
  return (
    <div className="report-offer">
      <p>{words.showOthersText}</p>
      <BusyButton variant="default" isBusy={isBusy} onClick={() => void onShow()}>
        {words.showOthers}
      </BusyButton>
      <p className="form-error" role="alert">
        {error === null ? '' : texts.problem(asProblem(error))}
      </p>
    </div>
  );
}

function Sheet({ report }: { report: WholeReport }) {
  const words = useReportTexts();
  const { interviews } = useTexts();
  const { interview, transcript, questions, also } = report;
  const name = interview.candidate.name ?? interviews.nameless;
  return (
    <article className="report" aria-label={name}>
      <header className="report-head">
        <p className="report-kind">{words.title}</p>
        <h2>{name}</h2>
        <p className="soft">{words.confidential}</p>
        {report.others !== 'shown' && <p className="soft">{words.withoutOthers}</p>}
        <Facts report={report} />
      </header>
      {questions.map((question) => (
        <ReportQuestionView key={question.id} question={question} lang={transcript.language} />
      ))}
      {also.length > 0 && (
        <section className="report-part" aria-labelledby="report-also">
          <h3 id="report-also">{words.also}</h3>
          {also.map((line) => (
            <ReportAnswer key={line.id} line={line} lang={transcript.language} />
          ))}
        </section>
      )}
      <Decisions report={report} />
      <Printed />
    </article>
  );
}

function Facts({ report: { interview, transcript, overall } }: { report: WholeReport }) {
  const { interviews } = useTexts();
  const words = useReportTexts();
  const { language } = useLanguage();
  const moment = (at: string | null): string | null =>
    at === null ? null : momentOf(new Date(at), language);
  const facts: [string, string | null][] = [
    [words.vacancy, `${transcript.vacancy}, ${transcript.company}`],
    [words.contact, interview.candidate.contact],
    [words.state, interviews.states[interview.state]],
    [words.began, moment(transcript.beganAt)],
    [words.ended, moment(interview.completedAt)],
    [words.overall, overall === null ? null : decimal(overall, language)],
  ];
  return (
    <dl className="report-facts">
      {facts
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

function decimal(value: number, language: string): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value);
}

/** The newest first. Left out for whoever may not read them. */
function Decisions({ report: { decisions } }: { report: WholeReport }) {
  const words = useReportTexts();
  const { language } = useLanguage();
  const { scopes } = useSession();
  if (!scopes.includes('decisions:read')) return null;
  return (
    <section className="report-part" aria-labelledby="report-decision">
      <h3 id="report-decision">{words.decision}</h3>
      {decisions.length === 0 && <p>{words.undecided}</p>}
      {decisions.map(({ id, isAdverse, reason, decidedBy, decidedAt }) => (
        <div key={id} className="report-decision">
          <p>
            <strong>{isAdverse ? words.adverse : words.favourable}</strong>{' '}
            <span className="soft">
              {words.by(decidedBy, momentOf(new Date(decidedAt), language))}
            </span>
          </p>
          <p>{reason}</p>
        </div>
      ))}
    </section>
  );
}

/** The moment is that of the print, not that at which the page was opened. */
function Printed() {
  const words = useReportTexts();
  const { language } = useLanguage();
  const { user } = useSession();
  const [at, setAt] = useState(() => new Date());
  useEffect(() => {
    const note = (): void => flushSync(() => setAt(new Date()));
    window.addEventListener('beforeprint', note);
    return () => window.removeEventListener('beforeprint', note);
  }, []);
  return (
    <footer className="report-printed">{words.printed(user.name, momentOf(at, language))}</footer>
  );
}
