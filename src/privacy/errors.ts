import { ColloquyError } from '../common/errors';

/** Nobody is stored under that id. */
export class CandidateUnknownError extends ColloquyError {
  readonly code = 'candidate_unknown';
  readonly retryable = false;
}

/** Two holders of one name, or none: a bug of whoever registers them. */
export class PersonalDataHolderError extends ColloquyError {
  readonly code = 'personal_data_holder';
  readonly retryable = false;
}
