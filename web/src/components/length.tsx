/** How much room is left in a field, when it is nearly full, or by how much its text is too long. */
import { useLanguage } from './language';

const COUNTED_FROM = 0.9;

interface LengthProps {
  /** The field is described by it. */
  id: string;
  length: number;
  limit: number;
}

export function Length({ id, length, limit }: LengthProps) {
  const { texts, language } = useLanguage();
  const count = new Intl.NumberFormat(language);
  const isTooLong = length > limit;
  return (
    <p id={id} role="status" className={isTooLong ? 'length length-over' : 'length'}>
      {isTooLong && texts.composer.tooLong(count.format(length - limit))}
      {!isTooLong &&
        length > limit * COUNTED_FROM &&
        texts.composer.left(count.format(limit - length))}
    </p>
  );
}
