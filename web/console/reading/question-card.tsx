/** One question: its rubric, where to read, the own rating, and afterwards what others gave and say. */
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { useProblem } from '../shell/use-problem';
import { modelOf } from './comparison';
import type { Comparison } from './comparison';
import type { InterviewInFull, RatedQuestion } from './calls';
import { Comments } from './comments';
import { Criterion } from './criterion';
import { useOwnRating } from './own-rating';
import { PassageList } from './passage-list';
import type { Source } from './passage-list';
import { passageName } from './shown-passages';
import { useReadingTexts } from './texts';

interface QuestionCardProps {
  interviewId: string;
  number: number;
  asked: InterviewInFull['questions'][number];
  /** Undefined: this person does not rate. */
  rated: RatedQuestion | undefined;
  canRate: boolean;
  comparison: Comparison;
  source: Source;
}

export function QuestionCard(props: QuestionCardProps) {
  const { number, asked, rated } = props;
  const texts = useReadingTexts();
  const title = `question-${String(number)}`;
  return (
    <section className="question" aria-labelledby={title}>
      <header>
        <p className="question-head soft">
          <span>{texts.question(number)}</span>
          {asked.kind === 'knockout' && <span className="tag">{texts.knockout}</span>}
          {asked.state !== 'answered' && <span>{texts.questionStates[asked.state]}</span>}
        </p>
        <h3 id={title}>{asked.text}</h3>
      </header>
      {rated !== undefined && <Judged {...props} rated={rated} />}
    </section>
  );
}

function Judged(props: QuestionCardProps & { rated: RatedQuestion }) {
  const { interviewId, number, rated, canRate, comparison, source } = props;
  const texts = useReadingTexts();
  const problem = useProblem(useReadingTexts().problems);
  const own = useOwnRating(interviewId, rated);
  const hasAnswer = rated.evidence.length > 0;
  const isOpen = canRate && hasAnswer && !rated.isFixed;
  const isSettled = rated.isRated || rated.isFixed || !canRate || rated.criteria.length === 0;
  const isShown = comparison.others !== null && isSettled;
  const others = isShown ? comparison.others.get(rated.id) : undefined;
  const model = isShown ? modelOf(comparison.scoring, rated.id) : null;
  // Then the rubric as text says the same as the criteria.
  const hasAnchors = rated.criteria.some(({ anchors }) => anchors !== null);
  const isAlone = rated.criteria.length === 1 && !hasAnchors;
  const first = hasAnswer ? passageName(number, 'a', 0) : undefined;
  return (
    <>
      {!hasAnchors && (
        <div className="rubric">
          <h4>{texts.rubric}</h4>
          <p>{rated.rubric}</p>
        </div>
      )}
      {hasAnswer ? (
        <PassageList
          title={isWhole(rated, source) ? texts.wholeAnswer : texts.evidence}
          passages={rated.evidence.map((one, index) => ({
            ...one,
            name: passageName(number, 'a', index),
          }))}
          source={source}
          // Without criteria the answer itself is a stop of the keys.
          stop={rated.criteria.length === 0 ? { questionId: rated.id, passage: first } : null}
        />
      ) : (
        <p className="soft">{texts.noAnswer}</p>
      )}
      {model !== null && model.facts.length > 0 && (
        <Facts facts={model.facts} number={number} source={source} />
      )}
      {hasAnswer &&
        rated.criteria.map((criterion, index) => {
          const ofModel = model?.criteria.find(({ name }) => name === criterion.name) ?? null;
          const quoted = (ofModel?.quotes.length ?? 0) > 0;
          return (
            <Criterion
              key={criterion.name}
              questionId={rated.id}
              passage={quoted ? passageName(number, `c${String(index)}`, 0) : first}
              others={
                others === undefined
                  ? null
                  : { colleagues: others.criteria[index]?.others ?? [], model: ofModel }
              }
              {...{ criterion, own, isOpen, isAlone }}
            />
          );
        })}
      <State>
        {own.problem === null ? texts.states[own.state] : problem(own.problem)}
        {own.state === 'failed' && (
          <Button variant="default" size="sm" onClick={() => own.store()}>
            {texts.again}
          </Button>
        )}
      </State>
      {isShown && comparison.scoring?.inShadow.includes(rated.id) === true && (
        <p className="soft">{texts.compare.inShadow}</p>
      )}
      {canRate && rated.isFixed && rated.criteria.length > 0 && (
        <p className="soft">{texts.fixed}</p>
      )}
      <Comments interviewId={interviewId} questionId={rated.id} all={comparison.comments} />
    </>
  );
}

function State({ children }: { children: ReactNode }) {
  return (
    <div className="rating-state" role="status">
      {children}
    </div>
  );
}

interface FactsProps {
  facts: NonNullable<ReturnType<typeof modelOf>>['facts'];
  number: number;
  source: Source;
}

/** Yes or no, with the words that say so: a fact is no mark. */
function Facts({ facts, number, source }: FactsProps) {
  const { compare } = useReadingTexts();
  return (
    <div className="found-facts">
      <h4>{compare.facts}</h4>
      {facts.map((fact, index) => (
        <div key={fact.name} className="found-fact">
          <p>
            {fact.name}: <strong>{compare.fact[fact.value]}</strong>
          </p>
          <PassageList
            passages={fact.quotes.map((one, at) => ({
              ...one,
              name: passageName(number, `f${String(index)}`, at),
            }))}
            source={source}
            stop={null}
          />
        </div>
      ))}
    </div>
  );
}

function isWhole({ evidence }: RatedQuestion, { words }: Source): boolean {
  return evidence.every(
    ({ messageId, start, end }) => start === 0 && end === words.get(messageId)?.text.length,
  );
}
