import { UsageError } from './command';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The value of `--candidate`. */
export function candidateOf(value: string | undefined): string {
  if (value === undefined) throw new UsageError('Say whom: --candidate ID.');
  if (UUID.test(value)) return value;
  throw new UsageError(`--candidate ${value}: expected the id that invite printed`);
}
