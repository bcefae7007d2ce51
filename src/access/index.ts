export { KeyUnknownError } from './errors';
export { revokedKeyIn } from './keys/key-lookup';
export {
  CurrentPrincipal,
  CurrentSession,
  type OwnSession,
  RequireConfirmation,
  RequireScope,
  RequireUser,
  signInNeeded,
} from './access.guard';
export type { ApiKey, EndedKey } from './keys/key.repository';
export { AccessModule } from './access.module';
export { ApiKeys, KEY_NAME } from './keys/keys.service';
export { SignInRefusedError } from './oidc/failures';
export { FlowCookies } from './oidc/flow-cookies';
export { examineSignOn } from './oidc/oidc-check';
export { type Returned, type SignedIn, SingleSignOn } from './oidc/oidc.service';
export { problemPath } from './oidc/return-to';
export {
  type Principal,
  type Role,
  ROLES,
  SCOPES,
  isWithin,
  nameIn,
  reaches,
  scopesOf,
} from './rights';
export { userEmailOf, userNameOf } from './users/names';
export { Passwords, assertStrong } from './users/passwords';
export { MOST_VIEWS, SavedViewRepository } from './users/saved-view.repository';
export { UserSessionLookup, changedUserIn } from './users/session-lookup';
export { SignIn, signInWrong } from './users/sign-in';
export { TeamCookie } from './users/team-cookie';
export type { UserLink } from './users/user-link.repository';
export { UserLinks, joinPath } from './users/user-links';
export type { SessionRights } from './users/user-session.repository';
export { UserSessions, deviceOf } from './users/user-sessions';
export type { User } from './users/user.repository';
export { type ListedUser, type SignedInPerson, Users } from './users/users.service';

declare module '../common/uow' {
  interface LabelAreas {
    access: 'key' | 'user' | 'user_link' | 'user_session';
  }
}
