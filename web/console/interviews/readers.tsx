/** Colleagues who read an interview now, as their first letters. */
import { useReaders } from '../live/live';
import { useInterviewTexts } from './texts';

const MOST_SHOWN = 3;

export function Readers({ interviewId }: { interviewId: string }) {
  const texts = useInterviewTexts();
  const readers = useReaders(interviewId);
  if (readers.length === 0) return null;
  const words = texts.reading(readers.map(({ name }) => name).join(', '));
  return (
    <span className="readers" title={words}>
      <span className="for-readers">{words}</span>
      {readers.slice(0, MOST_SHOWN).map(({ id, name }) => (
        <span key={id} className="reader" aria-hidden="true">
          {Array.from(name)[0]}
        </span>
      ))}
    </span>
  );
}
