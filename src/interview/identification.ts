import type { Pin } from '../vacancies';
import type { IdentifiedBy } from './metadata/conversation-metadata';

/** How somebody came to their interview; what is not given stays as it was noted before. */
export interface Identification {
  readonly identifiedBy: IdentifiedBy;
  /** The PIN as it was read; only its mask is kept. */
  readonly pinCode?: Pin;
  /** A conversation of the same person, as far as the channel knows. */
  readonly sameAs?: string;
}
