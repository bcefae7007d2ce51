/** The interview of a file as candidates read it, with what reviewers look for. */
import { useState } from 'react';
import type { Language } from '../../src/api/wire';
import type { CheckedVacancy } from './calls';
import { useVacanciesTexts } from './texts';

interface PlanPreviewProps {
  /** Null: the file has had mistakes so far. */
  plan: CheckedVacancy | null;
  /** The file was changed since, and has mistakes. */
  isStale: boolean;
}

export function PlanPreview({ plan, isStale }: PlanPreviewProps) {
  const { plan: words } = useVacanciesTexts();
  return (
    // It scrolls beside the editor, so a keyboard has to get into it.
    <section className="plan" aria-label={words.title} tabIndex={0}>
      <h2>{words.title}</h2>
      {plan === null ? <p className="soft">{words.waiting}</p> : <Plan plan={plan} />}
      {plan !== null && isStale && <p className="plan-stale">{words.stale}</p>}
    </section>
  );
}

function Plan({ plan }: { plan: CheckedVacancy }) {
  const { plan: words } = useVacanciesTexts();
  const spoken = languagesOf(plan);
  const [chosen, setChosen] = useState<Language | null>(null);
  const language = chosen !== null && spoken.includes(chosen) ? chosen : plan.language;
  const said = (texts: { en?: string; ru?: string }): string =>
    texts[language] ?? texts[plan.language] ?? '';
  return (
    <>
      {spoken.length > 1 && (
        <div className="plan-languages" role="group" aria-label={words.language}>
          {spoken.map((one) => (
            <button
              key={one}
              type="button"
              lang={one}
              aria-pressed={one === language}
              onClick={() => setChosen(one)}
            >
              {words.languages[one]}
            </button>
          ))}
        </div>
      )}
      <p className="plan-title">
        {plan.title}
        <span className="soft">{plan.company}</span>
      </p>
      <p className="soft">
        {words.about(plan.questions, plan.minutes)}
        {'. '}
        {plan.replyWithinDays === null ? words.noReply : words.replyWithin(plan.replyWithinDays)}
      </p>
      <p className="plan-said" lang={language}>
        <span className="for-readers">{words.greeting}: </span>
        {said(plan.greeting)}
      </p>
      <ol className="plan-questions">
        {plan.plan.map((question) => (
          <li key={question.id}>
            <Question question={question} text={said(question.text)} language={language} />
          </li>
        ))}
      </ol>
      <p className="plan-said" lang={language}>
        <span className="for-readers">{words.closing}: </span>
        {said(plan.closing)}
      </p>
    </>
  );
}

interface QuestionProps {
  question: CheckedVacancy['plan'][number];
  text: string;
  language: Language;
}

function Question({ question, text, language }: QuestionProps) {
  const { plan: words } = useVacanciesTexts();
  const { kind, mustAsk, criteria, facts, rubric, followUps } = question;
  const tags = [
    ...(kind === 'knockout' ? [words.knockout] : mustAsk ? [words.mustAsk] : []),
    ...(kind === 'open' && criteria.length === 0 ? [words.notScored] : []),
    ...(followUps > 0 ? [words.followUps(followUps)] : []),
  ];
  return (
    <>
      <p className="plan-said" lang={language}>
        {text}
      </p>
      {tags.length > 0 && (
        <p className="plan-tags">
          {tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </p>
      )}
      <details className="plan-rubric">
        <summary>
          {words.lookFor}
          <span className="for-readers">: {text}</span>
        </summary>
        {criteria.some(({ anchors }) => anchors !== null) ? (
          <Criteria criteria={criteria} />
        ) : (
          <p>{rubric}</p>
        )}
        {facts.length > 0 && (
          <ul>
            {facts.map(({ name, fact }) => (
              <li key={name}>{fact}</li>
            ))}
          </ul>
        )}
      </details>
    </>
  );
}

function Criteria({ criteria }: { criteria: QuestionProps['question']['criteria'] }) {
  const { plan: words } = useVacanciesTexts();
  return (
    <dl>
      {criteria.map(({ name, weight, anchors }) => (
        <div key={name}>
          <dt>
            {name} · {weight} %
          </dt>
          <dd>
            <span className="for-readers">{words.anchors}:</span>
            <ol>
              {(anchors ?? []).map((anchor) => (
                <li key={anchor}>{anchor}</li>
              ))}
            </ol>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** In which languages something of it is written, its own first. */
function languagesOf({ language, greeting, closing, plan }: CheckedVacancy): Language[] {
  const other: Language = language === 'en' ? 'ru' : 'en';
  const texts = [greeting, closing, ...plan.map(({ text }) => text)];
  return texts.some((one) => one[other] !== undefined) ? [language, other] : [language];
}
