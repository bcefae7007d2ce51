import { isStorable } from '../../common/text';
import { InvalidMetadataError } from './errors';

const MAX_DEPTH = 32;
/** Characters of the strings, and one for each value. */
const MAX_SIZE = 1_000_000;

/** The update under way, and what it may still hold. */
interface Measure {
  readonly field: string;
  sizeLeft: number;
}

/**
 * A copy of the value that jsonb stores and gives back unchanged. JSON.stringify would turn NaN into
 * null and a Map into {}, and PostgreSQL refuses NUL and lone surrogates only when the commit runs:
 * all of these throw InvalidMetadataError here. As in JSON.stringify, a Date becomes ISO 8601 and a
 * key without a value is left out.
 */
export function storableJson(field: string, value: unknown): unknown {
  const measure = { field, sizeLeft: MAX_SIZE };
  assertText(field, measure);
  return copyOf(value, measure, 0);
}

function copyOf(value: unknown, measure: Measure, depth: number): unknown {
  // Bounds what refers to itself as well, in depth and in breadth.
  if (depth > MAX_DEPTH) throw refusal(measure, `is nested deeper than ${MAX_DEPTH}`);
  spend(measure, 1);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return assertText(value, measure);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, measure, depth + 1));
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (!isPlainObject(value)) throw refusal(measure, 'holds a value that is no JSON');
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // Not by assignment: `__proto__` is a key like any other.
  return Object.fromEntries(
    entries.map(([key, item]) => [assertText(key, measure), copyOf(item, measure, depth + 1)]),
  );
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function assertText(text: string, measure: Measure): string {
  spend(measure, text.length);
  if (isStorable(text)) return text;
  throw refusal(measure, 'holds a character that cannot be stored');
}

function spend(measure: Measure, size: number): void {
  measure.sizeLeft -= size;
  if (measure.sizeLeft < 0) throw refusal(measure, `is larger than ${MAX_SIZE} characters`);
}

function refusal({ field }: Measure, reason: string): InvalidMetadataError {
  return new InvalidMetadataError(`a field of the metadata ${reason}`, { fields: { field } });
}
