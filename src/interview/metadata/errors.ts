import { ColloquyError } from '../../common/errors';

/** The update can never be stored as it is: the caller has to give another. */
export class InvalidMetadataError extends ColloquyError {
  readonly code = 'invalid_metadata';
  readonly retryable = false;
}

/** Somebody else has written the metadata since it was read: nothing is stored. */
export class MetadataConflictError extends ColloquyError {
  readonly code = 'metadata_conflict';
  readonly retryable = true;
}
