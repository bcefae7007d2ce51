import { Module } from '@nestjs/common';
import { KeyLimits } from './keys/key-limits';
import { KeyLookup } from './keys/key-lookup';
import { KeyRepository } from './keys/key.repository';
import { ApiKeys } from './keys/keys.service';
import { FlowCookies } from './oidc/flow-cookies';
import { SingleSignOn } from './oidc/oidc.service';
import { AccountAttempts } from './users/account-attempts';
import { Argon2Hasher, PasswordHasher } from './users/password-hasher';
import { Passwords } from './users/passwords';
import { UserSessionLookup } from './users/session-lookup';
import { SavedViewRepository } from './users/saved-view.repository';
import { SignIn } from './users/sign-in';
import { TeamCookie } from './users/team-cookie';
import { UserLinkRepository } from './users/user-link.repository';
import { UserLinks } from './users/user-links';
import { UserSessionRepository } from './users/user-session.repository';
import { UserSessions } from './users/user-sessions';
import { UserSweep } from './users/user-sweep';
import { UserRepository } from './users/user.repository';
import { Users } from './users/users.service';

/**
 * Keys for programs, and people with their roles. A module whose controllers use `@RequireScope` imports it.
 * Expects a global Clock, Settings, FailedAttempts, SignalConnection and UnitOfWorkFactory.
 */
@Module({
  providers: [
    ApiKeys,
    FlowCookies,
    KeyLimits,
    KeyLookup,
    KeyRepository,
    { provide: PasswordHasher, useClass: Argon2Hasher },
    AccountAttempts,
    Passwords,
    SavedViewRepository,
    SignIn,
    SingleSignOn,
    TeamCookie,
    UserLinkRepository,
    UserLinks,
    UserRepository,
    Users,
    UserSessionLookup,
    UserSessionRepository,
    UserSessions,
    UserSweep,
  ],
  exports: [
    ApiKeys,
    FlowCookies,
    KeyLimits,
    KeyLookup,
    Passwords,
    SavedViewRepository,
    SignIn,
    SingleSignOn,
    TeamCookie,
    UserLinks,
    Users,
    UserSessionLookup,
    UserSessions,
  ],
})
export class AccessModule {}
