import { COMMAND } from '../command-name';

/**
 * Every code that a refusal of the HTTP API has, with its status. `ProblemError` accepts no other code,
 * and an error of the lower layers whose code is not here is a bug (500 `internal`). docs/errors.md and
 * /docs show this list.
 */

interface ProblemCodeEntry {
  readonly status: number;
  readonly meaning: string;
  /** What a client does then. */
  readonly then: string;
}

const CORRECT = 'correct the request';
const REOPEN = "open the candidate's link again";
const LATER = 'repeat it after `Retry-After`';
const READ = 'read the conversation again';
const OPERATOR = 'tell whoever runs the server';
const OTHER_KEY = `ask whoever runs the server for another key (\`${COMMAND} key create\`)`;

/** Errors of the lower layers, by their own codes. */
export const STORED_PROBLEMS = {
  blank_message: { status: 422, meaning: 'The message has no text.', then: CORRECT },
  message_too_long: { status: 422, meaning: 'It is longer than `limits`.', then: CORRECT },
  invalid_text: { status: 422, meaning: 'The text has NUL or half characters.', then: CORRECT },
  invalid_metadata: { status: 422, meaning: 'A field has the wrong form.', then: CORRECT },
  message_id_reused: {
    status: 409,
    meaning: 'The message id was used for another text.',
    then: 'give each message an id of its own',
  },
  conversation_full: {
    status: 409,
    meaning: 'More text than an interview may have.',
    then: 'tell the candidate that a person reads what is there',
  },
  audio_full: {
    status: 409,
    meaning: 'More recordings than an interview may have.',
    then: 'ask for text',
  },
  files_full: { status: 409, meaning: 'More files than an interview may have.', then: 'send none' },
  open_link_full: {
    status: 429,
    meaning: 'Too many interviews were begun by this open link, or the disk is nearly full.',
    then: 'open the link again after `Retry-After`; interviews that have begun go on',
  },
  uploads_full: {
    status: 429,
    meaning: 'The interviews of this open link have stored too much, or the disk is nearly full.',
    then: 'ask for text, or send it again after `Retry-After`',
  },
  message_unknown: { status: 404, meaning: 'There is no such message.', then: READ },
  voice_empty: { status: 422, meaning: 'The recording is empty.', then: 'record again' },
  voice_too_large: { status: 413, meaning: 'The recording is too large.', then: 'record less' },
  voice_unknown: { status: 404, meaning: 'There is no such recording.', then: READ },
  file_empty: { status: 422, meaning: 'The file is empty.', then: 'send another one' },
  file_too_large: {
    status: 413,
    meaning: 'The file is larger than `limits`.',
    then: 'send a smaller one',
  },
  file_type_unsupported: {
    status: 415,
    meaning: 'Files of this type are not kept.',
    then: 'send a document or a picture',
  },
  file_word_format: {
    status: 415,
    meaning: 'A Word document with macros or a password, a template, or an old one.',
    then: 'save it as DOCX or PDF',
  },
  file_unknown: { status: 404, meaning: 'There is no such file.', then: READ },
  conversation_unknown: { status: 404, meaning: 'There is no such conversation.', then: REOPEN },
  conversation_closed: {
    status: 409,
    meaning: 'The interview has ended or has not begun.',
    then: READ,
  },
  conversation_with_model: {
    status: 409,
    meaning: 'The interviewer replies; nobody asked for a person.',
    then: READ,
  },
  attention_without_conversation: {
    status: 409,
    meaning: 'The item belongs to no conversation, so nobody can be written to.',
    then: 'close or replay it',
  },
  consent_required: {
    status: 409,
    meaning: 'The candidate has not agreed to the disclosure.',
    then: 'show it and ask',
  },
  consent_given: {
    status: 409,
    meaning:
      'The candidate has agreed and the interview has begun, so it is not declined any more.',
    then: 'offer `POST …/withdraw`, which ends it, and `POST …/forget`',
  },
  profile_required: {
    status: 409,
    meaning: 'The name or the contact is missing.',
    then: 'ask for what `profile.needed` lists',
  },
  disclosure_outdated: {
    status: 409,
    meaning: 'The disclosure has changed since it was shown.',
    then: 'read the conversation and show the new one',
  },
  vacancy_closed: {
    status: 410,
    meaning: 'The vacancy is closed: its interview begins no more.',
    then: 'show that it is closed; whoever has agreed before may go on',
  },
  vacancy_unknown: { status: 404, meaning: 'There is no such vacancy.', then: CORRECT },
  external_id_taken: {
    status: 409,
    meaning: 'Another invitation of the vacancy has this `externalId` and was not revoked.',
    then: 'issue that one again',
  },
  invitation_file_refused: {
    status: 422,
    meaning: 'The file cannot be read as rows; the title says why. Nothing of it is imported.',
    then: CORRECT,
  },
  invitation_unknown: { status: 404, meaning: 'There is no such invitation.', then: CORRECT },
  invitation_refused: {
    status: 422,
    meaning: 'What is said about the person cannot be stored; the title says why.',
    then: CORRECT,
  },
  invitation_revoked: {
    status: 409,
    meaning: 'The invitation was issued again.',
    then: 'issue the later one again',
  },
  import_unknown: {
    status: 404,
    meaning: 'There is no such import; one is deleted after 30 days.',
    then: CORRECT,
  },
  link_key_wrong: {
    status: 403,
    meaning: 'The key does not open the links of this import.',
    then: 'send the `linkKey` that came with it',
  },
  rating_missing: {
    status: 409,
    meaning:
      'The reviewer is not named, or has to rate the answers before seeing the ratings of others.',
    then: `rate them (on the page, or by \`${COMMAND} score rate\`), and name who looks`,
  },
  rating_refused: {
    status: 422,
    meaning:
      'The interview is not finished, or not each criterion is rated once; the title says which.',
    then: CORRECT,
  },
  rating_fixed: {
    status: 409,
    meaning: "Others' ratings of the answer were shown to the user, who does not rate it any more.",
    then: 'show the rating that is stored, if there is one',
  },
  comment_refused: {
    status: 422,
    meaning: 'The comment cannot be stored; the title says why.',
    then: CORRECT,
  },
  comment_unknown: {
    status: 404,
    meaning: 'The user has no such comment on the interview; those of others are not changed.',
    then: 'read the comments again',
  },
  decided_meanwhile: {
    status: 409,
    meaning:
      'Somebody else has decided about the candidate; the title says who, when and which way.',
    then: 'read the decisions of the interview again, and ask whether to decide still',
  },
  decision_unknown: { status: 404, meaning: 'There is no such decision.', then: CORRECT },
  decision_key_missing: {
    status: 409,
    meaning: 'The server has no key that signs decision files.',
    then: `tell whoever runs the server: \`decision-key.pem\` belongs into its data folder`,
  },
  document_file_invalid: {
    status: 422,
    meaning: 'The document cannot be used; the title says why.',
    then: CORRECT,
  },
  candidate_unknown: { status: 404, meaning: 'There is no such candidate.', then: CORRECT },
  job_not_dead: {
    status: 409,
    meaning: 'The job of the item is not given up.',
    then: 'read the list again',
  },
  attention_unknown: {
    status: 404,
    meaning: 'There is no such item.',
    then: 'read the list again',
  },
  attention_closed: {
    status: 409,
    meaning: 'The item is closed already.',
    then: 'read the list again',
  },
  attention_not_replayable: {
    status: 409,
    meaning: 'Nothing of the item can be done again.',
    then: 'close it',
  },
  key_unknown: { status: 404, meaning: 'There is no such key.', then: 'list the keys' },
  key_name_taken: {
    status: 409,
    meaning: 'A key has this name, or had it.',
    then: 'choose another name',
  },
  key_end_invalid: {
    status: 422,
    meaning: 'The end of a key is past, or more than a year away.',
    then: CORRECT,
  },
  user_unknown: { status: 404, meaning: 'There is no such user.', then: 'list the users' },
  user_name_taken: {
    status: 409,
    meaning: 'A user has this name, or had it.',
    then: 'choose another name',
  },
  user_email_taken: {
    status: 409,
    meaning: 'Another user has this address.',
    then: 'choose another address, or sign in',
  },
  user_disabled: {
    status: 403,
    meaning: 'The user is disabled.',
    then: 'ask an admin of the team to enable them',
  },
  user_vacancies_wrong: {
    status: 422,
    meaning: 'The role needs vacancies, or takes none; the title says which.',
    then: CORRECT,
  },
  user_without_password: {
    status: 409,
    meaning: 'The user signs in elsewhere and has no password here.',
    then: 'change it there',
  },
  passwords_off: {
    status: 403,
    meaning: 'Nobody signs in with a password here (`OIDC_ONLY`).',
    then: 'sign in by single sign-on',
  },
  last_admin: {
    status: 409,
    meaning: 'No enabled admin would remain.',
    then: 'make another user an admin first',
  },
  team_link_unknown: {
    status: 404,
    meaning: 'The link does not work.',
    then: 'ask an admin of the team for a new one',
  },
  team_link_ended: {
    status: 410,
    meaning: 'The link was used, was revoked, or has expired.',
    then: 'ask an admin of the team for a new one',
  },
  user_session_unknown: {
    status: 404,
    meaning: 'The user has no such session, perhaps not any more.',
    then: 'list the sessions',
  },
  pool_exhausted: { status: 503, meaning: 'The server is busy.', then: LATER },
  database_unavailable: {
    status: 503,
    meaning: 'The database cannot be reached, or takes no writes now.',
    then: LATER,
  },
  database_busy: { status: 503, meaning: 'The database is busy.', then: LATER },
  commit_outcome_unknown: {
    status: 503,
    meaning: 'The connection to the database broke; it may be stored.',
    then: 'repeat it with the same ids',
  },
  request_gone: {
    status: 400,
    meaning: 'The client has left before the response.',
    then: 'repeat it with the same ids',
  },
} as const satisfies Readonly<Record<string, ProblemCodeEntry>>;

/** Refusals of the HTTP layer itself. */
export const HTTP_PROBLEMS = {
  attention_held: {
    status: 409,
    meaning: 'Somebody else has the item; `details` says who (`heldBy`) and since when (`since`).',
    then: 'leave it to them, or claim it `from` them',
  },
  session_unknown: { status: 401, meaning: 'There is no session, or it has ended.', then: REOPEN },
  origin_refused: {
    status: 403,
    meaning: 'A page of another site has sent it, with the cookie of the session.',
    then: 'serve the page from the same origin',
  },
  confirmation_needed: {
    status: 409,
    meaning: 'The interview is open elsewhere.',
    then: 'show its disclosure, ask, and send `mine`',
  },
  invite_unknown: {
    status: 404,
    meaning: 'The link does not work.',
    then: 'ask the company for a new one',
  },
  invite_expired: {
    status: 410,
    meaning: 'The invitation has expired.',
    then: 'ask the company for a new one',
  },
  continuation_used: {
    status: 410,
    meaning: 'The link worked once and was used.',
    then: 'make a new one',
  },
  continuation_expired: { status: 410, meaning: 'The link has expired.', then: 'make a new one' },
  conversation_with_person: { status: 409, meaning: 'A person has written already.', then: READ },
  channel_off: { status: 409, meaning: 'There is no Telegram bot here.', then: 'hide the offer' },
  receipt_unavailable: {
    status: 404,
    meaning: 'The interview has no receipt.',
    then: 'read `receipt` of the conversation first',
  },
  not_confirmed: {
    status: 400,
    meaning: 'The erasure was not confirmed; nothing is erased.',
    then: CORRECT,
  },
  nothing_to_answer: {
    status: 422,
    meaning: 'The chat has no message that waits for a reply.',
    then: 'send a message',
  },
  too_many_messages: {
    status: 422,
    meaning: 'More than 50 new messages in one request.',
    then: CORRECT,
  },
  too_much_text: {
    status: 422,
    meaning: 'More than 64,000 new characters in one request.',
    then: CORRECT,
  },
  too_many_streams: {
    status: 429,
    meaning: 'The session has too many open streams.',
    then: 'close one, or wait',
  },
  too_many_uploads: { status: 429, meaning: 'Too many uploads at once.', then: LATER },
  too_many_requests: {
    status: 429,
    meaning: 'Too many requests from one address, with one key, or by one user.',
    then: LATER,
  },
  too_many_attempts: {
    status: 429,
    meaning: 'Too many wrong secrets from one address, or for one user.',
    then: LATER,
  },
  logo_unknown: { status: 404, meaning: 'There is no such logo.', then: 'show none' },
  page_not_built: {
    status: 404,
    meaning: 'The server was built without its page.',
    then: OPERATOR,
  },
  admin_api_off: {
    status: 401,
    meaning: 'The token is no API key, and `ADMIN_TOKEN` is not set.',
    then: OTHER_KEY,
  },
  admin_token_wrong: {
    status: 401,
    meaning: 'The key or admin token is missing or wrong, and nobody is signed in.',
    then: CORRECT,
  },
  key_revoked: { status: 401, meaning: 'The key is revoked.', then: OTHER_KEY },
  key_expired: { status: 401, meaning: 'The key has ended by its date.', then: OTHER_KEY },
  scope_missing: {
    status: 403,
    meaning: 'The key, or the role of the user, lacks the scope that the title names.',
    then: OTHER_KEY,
  },
  beyond_key: {
    status: 403,
    meaning: 'It concerns more vacancies, more scopes, or a later end than the key has.',
    then: OTHER_KEY,
  },
  too_many_views: {
    status: 409,
    meaning: 'The person has saved as many views as there may be.',
    then: 'delete one',
  },
  sign_in_needed: {
    status: 401,
    meaning: 'Nobody is signed in, or the session has ended.',
    then: 'sign in',
  },
  sign_in_wrong: {
    status: 401,
    meaning: 'The address or the password is wrong, or the user is disabled or has no password.',
    then: CORRECT,
  },
  user_needed: {
    status: 403,
    meaning: 'The operation is for people who have signed in, and not for keys or tokens.',
    then: 'sign in',
  },
  password_needed: {
    status: 403,
    meaning: 'The operation needs the password again; it was shown more than 10 minutes ago.',
    then: 'ask for it, send `POST /api/v1/team/session/confirm`, and repeat the request; `details.method` says how the user signs in',
  },
  password_weak: {
    status: 422,
    meaning: 'The password is easy to guess, too short or too long; `detail` says why.',
    then: 'choose another password',
  },
  busy: { status: 503, meaning: 'Too many passwords are being checked.', then: LATER },
  oidc_off: {
    status: 404,
    meaning: 'There is no single sign-on here.',
    then: 'sign in with a password',
  },
  oidc_unavailable: {
    status: 503,
    meaning: 'The provider of single sign-on does not respond, or not as `OIDC_ISSUER` says.',
    then: `try again; if it stays, tell whoever runs the server (\`${COMMAND} doctor\`)`,
  },
  oidc_denied: {
    status: 403,
    meaning: 'The provider did not let the person in, or they went back.',
    then: 'try again, or ask whoever runs the provider',
  },
  oidc_expired: {
    status: 410,
    meaning: 'The sign-in took more than ten minutes, was used, or was begun in another browser.',
    then: 'sign in again',
  },
  oidc_failed: {
    status: 502,
    meaning:
      'What the provider sent cannot be trusted, or it does not know this installation; the log says which.',
    then: OPERATOR,
  },
  oidc_role_missing: {
    status: 403,
    meaning: 'The provider gives the person no role here (`OIDC_ROLE_CLAIM`, `OIDC_ROLES`).',
    then: 'ask whoever runs the provider for one, and sign in again',
  },
  oidc_not_confirmed: {
    status: 403,
    meaning: 'The provider does not say (`auth_time`) that the person has just signed in there.',
    then: 'try again; if it stays, tell whoever runs the server',
  },
  oidc_subject_differs: {
    status: 409,
    meaning: 'Another person has signed in at the provider than the one who is signed in here.',
    then: 'sign out here, or sign in there as the same person',
  },
  management_off: { status: 404, meaning: '`MANAGEMENT_TOKEN` is not set.', then: OPERATOR },
  management_token_wrong: {
    status: 401,
    meaning: 'The management token is missing or wrong.',
    then: CORRECT,
  },
  secret_unknown: { status: 401, meaning: 'The secret of a webhook is wrong.', then: CORRECT },
  signature_missing: { status: 401, meaning: "Notion's webhook is not signed.", then: CORRECT },
  signature_wrong: {
    status: 401,
    meaning: "The signature of Notion's webhook is wrong.",
    then: CORRECT,
  },
  enrolment_closed: {
    status: 403,
    meaning: 'No verification token is expected now.',
    then: `open it by \`${COMMAND} notion enrol\``,
  },
  vacancy_file_invalid: {
    status: 422,
    meaning: 'The vacancy has mistakes; `problems` has all of them, each with pointer and line.',
    then: CORRECT,
  },
  document_refused: {
    status: 422,
    meaning: 'The name of the document, or how many there are; the title says which.',
    then: CORRECT,
  },
  document_unknown: {
    status: 404,
    meaning: 'The vacancy has no document of this name.',
    then: CORRECT,
  },
  logo_refused: {
    status: 422,
    meaning: 'No picture that is taken; the title says why.',
    then: CORRECT,
  },
  vacancy_exists: {
    status: 409,
    meaning: 'A vacancy has this slug.',
    then: 'replace it by `PUT …/file`, or choose another slug',
  },
  slug_differs: {
    status: 422,
    meaning: 'The slug in the file is not that of the address: a slug never changes.',
    then: CORRECT,
  },
  vacancy_version_unknown: {
    status: 404,
    meaning: 'The file of the vacancy has no such version; the newest 200 are kept.',
    then: 'list the versions',
  },
  if_match_missing: {
    status: 428,
    meaning: 'A replacement or a decision needs `If-Match` with the `ETag` of what was read.',
    then: 'read the file, or the decisions, and send the `ETag`',
  },
  version_differs: {
    status: 412,
    meaning: 'Somebody has changed it since it was read; nothing is stored.',
    then: 'read it again and repeat the change',
  },
  idempotency_key_invalid: {
    status: 400,
    meaning: 'The header `Idempotency-Key` is empty, too long, or not ASCII.',
    then: CORRECT,
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'The `Idempotency-Key` was used for another body within a day.',
    then: 'give each request a key of its own',
  },
  idempotency_running: {
    status: 409,
    meaning: 'The first request with this `Idempotency-Key` still runs.',
    then: LATER,
  },
  malformed_request: { status: 400, meaning: 'The request cannot be read.', then: CORRECT },
  malformed_json: { status: 400, meaning: 'The body is not JSON.', then: CORRECT },
  json_too_deep: { status: 400, meaning: 'The JSON is nested too deeply.', then: CORRECT },
  invalid_body: {
    status: 422,
    meaning: 'A field has the wrong form; `detail` names it.',
    then: CORRECT,
  },
  field_renamed: {
    status: 400,
    meaning: 'A field has another name now; the title says both.',
    then: CORRECT,
  },
  body_too_large: { status: 413, meaning: 'The body is too large.', then: CORRECT },
  unsupported_media_type: { status: 415, meaning: 'The type of the body is wrong.', then: CORRECT },
  headers_too_large: { status: 431, meaning: 'The headers are too large.', then: CORRECT },
  uri_too_long: { status: 414, meaning: 'The address is too long.', then: CORRECT },
  method_not_allowed: {
    status: 405,
    meaning: 'The method is not for this address.',
    then: CORRECT,
  },
  not_acceptable: {
    status: 406,
    meaning: 'The server cannot respond in a format that the `Accept` header allows.',
    then: CORRECT,
  },
  not_found: { status: 404, meaning: 'There is nothing at this address.', then: CORRECT },
  forbidden: { status: 403, meaning: 'This is not allowed.', then: CORRECT },
  request_timeout: { status: 408, meaning: 'The request arrived too slowly.', then: 'repeat it' },
  draining: { status: 503, meaning: 'The server is restarting.', then: LATER },
  unavailable: { status: 503, meaning: 'This is not available now.', then: LATER },
  internal: { status: 500, meaning: 'A bug. The log has its cause.', then: OPERATOR },
} as const satisfies Readonly<Record<string, ProblemCodeEntry>>;

export type ProblemCode = keyof typeof HTTP_PROBLEMS | keyof typeof STORED_PROBLEMS;

/** The list as a table in Markdown, by code. */
export function problemTable(): string {
  const entries: [string, ProblemCodeEntry][] = Object.entries({
    ...STORED_PROBLEMS,
    ...HTTP_PROBLEMS,
  });
  const rows = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, { status, meaning, then }]) => `| \`${code}\` | ${status} | ${meaning} | ${then} |`,
    );
  return ['| Code | Status | Meaning | Then |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
