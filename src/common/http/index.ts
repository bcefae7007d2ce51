export { DownloadHeaders, attachmentNamed } from './download';
export {
  failureCodeOf,
  guardedLookup,
  loadOutgoing,
  outgoingAgent,
  outgoingFetch,
  wasNeverSent,
} from './outgoing';
export { outgoingStream, type StreamedResponse, type StreamRequest } from './outgoing-stream';
export { FailedAttempts } from './failed-attempts';
export { assertOwnOrigin, originOf } from './own-origin';
export {
  ApiProblems,
  type PlacedProblem,
  ProblemError,
  ProblemFilter,
  mediaTypeRefused,
  respondToFrameworkError,
  respondToProtocolError,
} from './problem';
export { HTTP_PROBLEMS, type ProblemCode, STORED_PROBLEMS, problemTable } from './problem-codes';
export {
  BodyPipe,
  RawBody,
  UnreadBody,
  type UploadPace,
  boundJson,
  limitRawBodies,
  readBytes,
} from './request-body';
export { preferredLanguage } from './preferred-language';
export { retryAfterMs } from './retry-after';
export { ADMIN_SECURITY, SESSION_SECURITY, TEAM_SECURITY } from './security-schemes';
export { serverOf } from './server';
export { cutSlowReaders } from './slow-readers';
export { requestIdOf, traceRequests } from './trace-requests';
