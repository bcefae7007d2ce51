/** One criterion of an answer: what each mark shows, the person's own mark and note, and afterwards everybody's. */
import { useId } from 'react';
import { useReadingTexts } from './texts';
import type { RatedCriterion, ScoredQuestion } from './calls';
import { differenceOf } from './marks';
import { leaveField } from './reading-keys';
import type { OwnRating } from './own-rating';

const MARKS = [1, 2, 3, 4, 5, null] as const;
const MAX_NOTE = 2000;

interface CriterionProps {
  questionId: string;
  criterion: RatedCriterion;
  /** The only criterion of a question has no name of its own. */
  isAlone: boolean;
  own: OwnRating;
  isOpen: boolean;
  /** The passage to which `t` leads; undefined: there is none. */
  passage: string | undefined;
  /** Null: nothing of others is shown. */
  others: { colleagues: RatedCriterion['others']; model: ModelMark | null } | null;
}

type ModelMark = ScoredQuestion['criteria'][number];

export function Criterion(props: CriterionProps) {
  const { questionId, criterion, isAlone, own, isOpen, passage, others } = props;
  const texts = useReadingTexts();
  const label = useId();
  const { name, anchors, weight } = criterion;
  const { mark: given, note = '' } = own.markOf(name);
  return (
    <div
      className="criterion"
      role="group"
      tabIndex={-1}
      aria-labelledby={label}
      data-stop
      data-question={questionId}
      data-passage={passage}
    >
      <p id={label} className="criterion-name">
        <strong>{isAlone ? texts.whole : name}</strong>
        {!isAlone && <span className="soft">{texts.weight(weight)}</span>}
      </p>
      {anchors !== null && (
        <ol className="criterion-anchors" aria-label={texts.anchors}>
          {anchors.map((anchor, index) => (
            <li key={index} data-chosen={given === index + 1}>
              {anchor}
            </li>
          ))}
        </ol>
      )}
      <div className="marks">
        {MARKS.map((mark) => (
          <button
            key={String(mark)}
            type="button"
            className="mark-button"
            data-mark={mark ?? 0}
            aria-pressed={given === mark}
            aria-label={mark === null ? undefined : texts.mark(mark)}
            disabled={!isOpen}
            onClick={() => own.give(name, mark)}
          >
            {mark ?? texts.notAsked}
          </button>
        ))}
      </div>
      <label className="note">
        <span className="for-readers">{`${texts.note}: ${isAlone ? texts.whole : name}`}</span>
        <textarea
          data-note
          rows={1}
          maxLength={MAX_NOTE}
          placeholder={texts.note}
          value={note}
          readOnly={!isOpen}
          onChange={(event) => own.write(name, event.currentTarget.value)}
          onBlur={() => own.store()}
          onKeyDown={leaveField}
        />
      </label>
      {others !== null && <Others own={given} {...others} />}
    </div>
  );
}

function Others({
  own,
  colleagues,
  model,
}: NonNullable<CriterionProps['others']> & { own: number | null | undefined }) {
  const { compare } = useReadingTexts();
  const texts = useReadingTexts();
  const inWords = (mark: number | null): string => (mark === null ? texts.notAsked : String(mark));
  const difference = (theirs: number | null): string => {
    const by = differenceOf(theirs, own);
    if (by === null) return '';
    return by === 0 ? compare.same : by > 0 ? compare.more(by) : compare.less(-by);
  };
  if (colleagues.length === 0 && model === null) {
    return <p className="soft">{compare.nobodyElse}</p>;
  }
  return (
    <dl className="others">
      {model !== null && (
        <div>
          <dt>{compare.model}</dt>
          <dd>
            <strong>
              {model.result === 'supported' ? inWords(model.mark) : compare.results[model.result]}
            </strong>
            <span className="soft">{difference(model.mark)}</span>
            {model.isDisputed && <span className="tag">{compare.disputed}</span>}
          </dd>
        </div>
      )}
      {colleagues.map(({ by, mark, note }) => (
        <div key={by}>
          <dt>{by}</dt>
          <dd>
            <strong>{inWords(mark)}</strong>
            <span className="soft">{difference(mark)}</span>
            {note !== null && <span className="others-note">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
