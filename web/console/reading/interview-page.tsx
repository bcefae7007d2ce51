/** One interview to be read, judged and decided: the answers with what to look for, beside the whole transcript. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { asProblem } from '../api/problem';
import type { WantedSound } from '../../src/console/recording';
import { forgetInterviews } from '../forget';
import { Readers } from '../interviews/readers';
import { useTexts } from '../language';
import { useReading } from '../live/live';
import { reportAt } from '../places';
import { Page } from '../shell/page';
import { NotLoaded, Waiting } from '../shell/sentence';
import { useSession } from '../shell/session';
import { covered, signOf, useBlind } from './blind';
import { readInterview, readRatings } from './calls';
import type { InterviewInFull } from './calls';
import { Comments } from './comments';
import { Compare } from './compare';
import { useComparison } from './comparison';
import { Decision } from './decision';
import { Facts } from './facts';
import { keptList } from './kept-list';
import { INTERVIEW, OWN_RATINGS } from './keys';
import { secondOf } from './passages';
import { QuestionCard } from './question-card';
import { useReadingKeys } from './reading-keys';
import { shownPassages } from './shown-passages';
import { useSteps } from './steps';
import { useReadingTexts } from './texts';
import { TakeOver } from './take-over';
import { TranscriptPane } from './transcript-pane';
import { useQuotedLines, useTranscript } from './use-transcript';
import type { Transcript } from './use-transcript';
import './reading.css';

export function InterviewPage({ id }: { id: string }) {
  const [isGone, setGone] = useState(false);
  if (isGone) return <Gone id={id} />;
  return <Loaded id={id} onGone={() => setGone(true)} />;
}

function Loaded({ id, onGone }: { id: string; onGone: () => void }) {
  useReading(id);
  const { scopes } = useSession();
  const mayRate = scopes.includes('ratings:write');
  const interview = useQuery({ queryKey: INTERVIEW(id), queryFn: () => readInterview(id) });
  const transcript = useTranscript(id);
  const ratings = useQuery({
    queryKey: OWN_RATINGS(id),
    queryFn: () => readRatings(id, true),
    enabled: mayRate,
  });
  const errors = [interview.error, transcript.error, ratings.error];
  const isGone = errors.some((error) => asProblem(error).code === 'conversation_unknown');
  useEffect(() => {
    if (isGone) onGone();
  });
  if (interview.data === undefined || transcript.data === undefined) {
    return <Opening errors={errors} onAgain={() => [interview.refetch(), transcript.refetch()]} />;
  }
  const isWaiting = mayRate && ratings.data === undefined;
  if (isWaiting) return <Opening errors={errors} onAgain={ratings.refetch} />;
  return <Read interview={interview.data} transcript={transcript} own={ratings.data?.questions} />;
}

interface ReadProps {
  interview: InterviewInFull;
  transcript: Transcript;
  own: Awaited<ReturnType<typeof readRatings>>['questions'] | undefined;
}

function Read({ interview, transcript, own }: ReadProps) {
  const { id, candidate } = interview;
  const texts = useReadingTexts();
  const { interviews } = useTexts();
  const page = useRef<HTMLDivElement>(null);
  const { isBlind, toggle } = useBlind();
  const [wanted, setWanted] = useState<(WantedSound & { messageId: string }) | null>(null);
  const { status, language } = transcript.data ?? NOTHING;
  const canRate = own !== undefined && status === 'completed';
  const comparison = useComparison(id, own, canRate);
  const passages = useMemo(
    () => shownPassages(own ?? [], comparison.scoring),
    [own, comparison.scoring],
  );
  const lines = useMemo(
    () => (isBlind ? transcript.lines.map((one) => blindLine(one, candidate)) : transcript.lines),
    [transcript.lines, isBlind, candidate],
  );
  const words = useMemo(() => new Map(lines.map((line) => [line.id, line])), [lines]);
  useQuotedLines(transcript, passages.byMessage, words);
  const steps = useSteps(id);
  const play = (name: string): boolean => {
    const passage = passages.byName.get(name);
    const line = passage && words.get(passage.messageId);
    if (passage === undefined || line?.voice?.hasAudio !== true) return false;
    const seconds = secondOf(passage, line.text, line.voice.durationS);
    setWanted({ messageId: line.id, seconds });
    return true;
  };
  useReadingKeys(page, {
    play,
    previous: steps.previous,
    next: steps.next,
    blind: toggle,
  });
  const name = isBlind ? texts.candidate(signOf(id)) : (candidate.name ?? interviews.nameless);
  return (
    <Page
      isWide
      title={name}
      actions={
        <>
          <Readers interviewId={id} />
          <TakeOver interview={interview} />
          <Link href={reportAt(id)}>{texts.report}</Link>
          <Button variant="default" size="sm" aria-pressed={isBlind} onClick={toggle}>
            {texts.blind}
          </Button>
          {steps.links}
        </>
      }
    >
      <div ref={page} className="judge">
        <div className="judge-answers">
          <Facts interview={interview} isBlind={isBlind} />
          {own !== undefined && (
            <p className="page-lead judge-lead">
              {canRate ? texts.rateYourself : isRunning(status) ? texts.notYet : texts.notRatable}
            </p>
          )}
          <h2 className="for-readers">{texts.questions}</h2>
          {interview.questions.map((asked, index) => (
            <QuestionCard
              key={asked.id}
              interviewId={id}
              number={index + 1}
              rated={own?.find((one) => one.id === asked.id)}
              source={{ words, play }}
              {...{ asked, canRate, comparison }}
            />
          ))}
          {canRate && <Compare own={own} comparison={comparison} />}
          {own !== undefined && (
            <section className="section" aria-labelledby="comments">
              <h2 id="comments">{texts.comments.title}</h2>
              {comparison.comments?.isClosed !== false && (
                <p className="soft">{texts.comments.hidden}</p>
              )}
              <Comments interviewId={id} questionId={null} all={comparison.comments} />
            </section>
          )}
          <Decision interviewId={id} />
        </div>
        <TranscriptPane
          interviewId={id}
          lines={lines}
          spoken={language}
          passages={passages.byMessage}
          questions={passages.questions}
          isBlind={isBlind}
          wanted={wanted}
          onOlder={transcript.onOlder}
        />
      </div>
    </Page>
  );
}

const NOTHING = { status: 'new', language: 'en' } as const;

type Line = Transcript['lines'][number];

/** Neither the words of the name and the contact nor the name of a file; places in the text stay what they are. */
function blindLine(line: Line, candidate: InterviewInFull['candidate']): Line {
  const { file, author, repliesTo } = line;
  return {
    ...line,
    repliesTo: repliesTo && {
      ...repliesTo,
      quote: repliesTo.quote && covered(repliesTo.quote, candidate),
    },
    text: file === null ? covered(line.text, candidate) : '•••',
    author: author && { ...author, name: author.name && covered(author.name, candidate) },
  };
}

function isRunning(status: string): boolean {
  return status === 'new' || status === 'active' || status === 'handed_over';
}

/** Nothing of an erased candidate stays in the tab. */
function Gone({ id }: { id: string }) {
  const { gone, backToList } = useReadingTexts();
  const queries = useQueryClient();
  useEffect(() => {
    forgetInterviews(queries, [id]);
  }, [queries, id]);
  return (
    <Page title={gone.title}>
      <p className="page-lead">{gone.text}</p>
      <p>
        <Link href={keptList().address}>{backToList}</Link>
      </p>
    </Page>
  );
}

function Opening({ errors, onAgain }: { errors: unknown[]; onAgain: () => unknown }) {
  const { loading } = useTexts();
  const failed = errors.find((error) => error !== null);
  return (
    <Page title={loading} isWide>
      {failed === undefined ? <Waiting rows={6} /> : <NotLoaded error={failed} onAgain={onAgain} />}
    </Page>
  );
}
