import { ColloquyError } from '../../common/errors';
import { JobPostponedError } from '../../jobs';

/** An audio without a byte. */
export class VoiceEmptyError extends ColloquyError {
  readonly code = 'voice_empty';
  readonly retryable = false;
}

/** More audio than is taken. */
export class VoiceTooLargeError extends ColloquyError {
  readonly code = 'voice_too_large';
  readonly retryable = false;
}

/** No such recording, or nothing of it is kept. */
export class VoiceUnknownError extends ColloquyError {
  readonly code = 'voice_unknown';
  readonly retryable = false;
}

/** A channel's sources are registered twice, or not at all: the composition is wrong. */
export class VoiceSourceError extends ColloquyError {
  readonly code = 'voice_source';
  readonly retryable = true;
}

/** The channel that holds this audio is away; other channels may not be. */
export class MediaUnavailableError extends JobPostponedError {
  override readonly code = 'voice_source_unavailable';
}
