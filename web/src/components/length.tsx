/** How much room is left in a field, when it is nearly full, or by how much its text is too long. */
import { isCounted, spokenLength } from '../state/answer-length';
import { useTexts } from './language';

interface LengthProps {
  /** Describes a field whose text is too long. Not another field: its description would be read at each key. */
  id: string;
  length: number;
  limit: number;
}

export function Length({ id, length, limit }: LengthProps) {
  const { composer } = useTexts();
  const isTooLong = length > limit;
  return (
    <>
      <p className={isTooLong ? 'length length-over' : 'length'}>
        {isTooLong && composer.tooLong(length - limit)}
        {!isTooLong && isCounted(length, limit) && composer.left(limit - length)}
      </p>
      <p id={id} role="status" className="for-readers">
        {spokenLength(length, limit, composer)}
      </p>
    </>
  );
}
