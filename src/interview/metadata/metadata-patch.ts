import { UNREADABLE_KEY, isReadable } from './conversation-metadata';
import { InvalidMetadataError } from './errors';
import { isPlainObject, storableJson } from './storable-json';

/** The keys to write, each with a value that can be stored and read again. */
export type MetadataPatch = Readonly<Record<string, unknown>>;

/** Checks updates as they were given, in code that may be untyped. Throws InvalidMetadataError. */
export function metadataPatch(updates: unknown): MetadataPatch {
  if (!isPlainObject(updates)) {
    throw new InvalidMetadataError('updates of the metadata are no plain object');
  }
  const given = Object.entries(updates).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, checked(field, value)]));
}

function checked(field: string, value: unknown): unknown {
  const stored = storableJson(field, value);
  if (field === UNREADABLE_KEY) {
    throw new InvalidMetadataError('this key keeps what could not be read', { fields: { field } });
  }
  if (isReadable(field, stored)) return stored;
  throw new InvalidMetadataError('a field of the metadata has another form', { fields: { field } });
}
