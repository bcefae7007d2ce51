/** One question of a report: what was answered, what was quoted, what people and the model gave it. */
import type { Line, ReportCriterion, ReportQuestion } from './report';
import { useReportTexts } from './texts';

interface QuestionProps {
  question: ReportQuestion;
  /** Of the interview. */
  lang: string;
}

export function ReportQuestionView({ question, lang }: QuestionProps) {
  const words = useReportTexts();
  const { id, number, text, state, answers, quotes, criteria, facts, isClosed } = question;
  return (
    <section className="report-part report-question" aria-labelledby={`report-${id}`}>
      <h3 id={`report-${id}`}>
        <span className="soft">{words.question(number)}</span>
        <span lang={lang}>{text}</span>
      </h3>
      {answers.map((line) => (
        <ReportAnswer key={line.id} line={line} lang={lang} />
      ))}
      {answers.length === 0 && (
        <p className="soft">{state === 'not_asked' ? words.notAsked : words.noAnswer}</p>
      )}
      {quotes.length > 0 && (
        <div className="report-quotes">
          <h4>{words.quotes}</h4>
          {quotes.map((quote) => (
            <blockquote key={quote} lang={lang}>
              {quote}
            </blockquote>
          ))}
        </div>
      )}
      {facts.length > 0 && (
        <ul className="report-facts-found">
          {facts.map(({ name, value }) => (
            <li key={name}>
              <span lang={lang}>{name}</span>: {words.facts[value]}
            </li>
          ))}
        </ul>
      )}
      {criteria.some(hasMark) && <Criteria criteria={criteria.filter(hasMark)} lang={lang} />}
      {isClosed && <p className="soft report-closed">{words.rateFirst}</p>}
    </section>
  );
}

export function ReportAnswer({ line, lang }: { line: Line; lang: string }) {
  const words = useReportTexts();
  const { label, voice, file, text } = line;
  const notes = [
    label?.name === 'addition' ? words.addition : null,
    label?.name === 'correction' ? words.correction : null,
    voice === null ? null : words.voice,
    file === null ? null : words.file,
  ].filter((note) => note !== null);
  return (
    <p className="report-answer" lang={lang}>
      {notes.length > 0 && <span className="report-note">{notes.join(', ')}: </span>}
      {text}
    </p>
  );
}

function hasMark({ own, others, model }: ReportCriterion): boolean {
  return own !== undefined || others.length > 0 || model !== undefined;
}

/** Who gave which criterion what, with notes below. */
function Criteria({ criteria, lang }: { criteria: readonly ReportCriterion[]; lang: string }) {
  const words = useReportTexts();
  const people = [...new Set(criteria.flatMap(({ others }) => others.map(({ by }) => by)))];
  const hasModel = criteria.some(({ model }) => model !== undefined);
  const markOf = (mark: number | null | undefined): string =>
    mark === undefined ? words.noMark : words.mark(mark);
  return (
    <table className="report-marks">
      <caption className="for-readers">{words.ratings}</caption>
      <thead>
        <tr>
          <th scope="col">{words.criterion}</th>
          <th scope="col">{words.own}</th>
          {people.map((by) => (
            <th key={by} scope="col">
              {by}
            </th>
          ))}
          {hasModel && <th scope="col">{words.model}</th>}
        </tr>
      </thead>
      <tbody>
        {criteria.map(({ name, own, ownNote, others, model }) => (
          <tr key={name}>
            <th scope="row" lang={lang}>
              {name}
            </th>
            <td>
              {markOf(own)}
              <Note note={ownNote} />
            </td>
            {people.map((by) => {
              const given = others.find((one) => one.by === by);
              return (
                <td key={by}>
                  {markOf(given?.mark)}
                  <Note note={given?.note ?? null} />
                </td>
              );
            })}
            {hasModel && (
              <td>{model === null || model === undefined ? words.noMark : words.mark(model)}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Note({ note }: { note: string | null }) {
  return note === null ? null : <span className="report-note report-note-below">{note}</span>;
}
