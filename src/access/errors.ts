import { ColloquyError } from '../common/errors';

/** There is no key of this id or name. */
export class KeyUnknownError extends ColloquyError {
  readonly code = 'key_unknown';
  readonly retryable = false;
}

/** Another key has this name or had it: the audit tells keys apart by their names. */
export class KeyNameTakenError extends ColloquyError {
  readonly code = 'key_name_taken';
  readonly retryable = false;
}

/** The end date has passed, or is more than a year away. */
export class KeyEndInvalidError extends ColloquyError {
  readonly code = 'key_end_invalid';
  readonly retryable = false;
}

/** There is no user of this id, name or address. */
export class UserUnknownError extends ColloquyError {
  readonly code = 'user_unknown';
  readonly retryable = false;
}

/** Another user has this name or had it: the audit tells people apart by their names. */
export class UserNameTakenError extends ColloquyError {
  readonly code = 'user_name_taken';
  readonly retryable = false;
}

/** Another user has this address. */
export class UserEmailTakenError extends ColloquyError {
  readonly code = 'user_email_taken';
  readonly retryable = false;
}

/** The user is disabled, so no session of theirs begins. */
export class UserDisabledError extends ColloquyError {
  readonly code = 'user_disabled';
  readonly retryable = false;
}

/** An interviewer needs named vacancies; an admin or a recruiter has none. */
export class UserVacanciesError extends ColloquyError {
  readonly code = 'user_vacancies_wrong';
  readonly retryable = false;
}

/** Somebody who signs in elsewhere has no password here. */
export class UserWithoutPasswordError extends ColloquyError {
  readonly code = 'user_without_password';
  readonly retryable = false;
}

/** People sign in by single sign-on only (OIDC_ONLY). */
export class PasswordsOffError extends ColloquyError {
  readonly code = 'passwords_off';
  readonly retryable = false;
}

/** No enabled admin would remain. */
export class LastAdminError extends ColloquyError {
  readonly code = 'last_admin';
  readonly retryable = false;
}

/** No link has this token or id. */
export class TeamLinkUnknownError extends ColloquyError {
  readonly code = 'team_link_unknown';
  readonly retryable = false;
}

/** The link was used or revoked, or has expired. */
export class TeamLinkEndedError extends ColloquyError {
  readonly code = 'team_link_ended';
  readonly retryable = false;
}

/** The user has no session of this id. */
export class UserSessionUnknownError extends ColloquyError {
  readonly code = 'user_session_unknown';
  readonly retryable = false;
}
