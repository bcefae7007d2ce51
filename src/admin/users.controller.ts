import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  CurrentPrincipal,
  type ListedUser,
  type Principal,
  ROLES,
  RequireConfirmation,
  RequireScope,
  type User,
  type UserLink,
  UserLinks,
  UserSessions,
  Users,
  joinPath,
  userEmailOf,
  userNameOf,
} from '../access';
import { Settings } from '../common/config';
import { ApiProblems } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { type AuditEvent, AuditRepository } from '../privacy';
import { InstanceRepository, slugsOf } from '../vacancies';
import { emailField, limitedTo, nameField, signInMethod } from './session-view';
import { VacancySlugs, limitedSlugs } from './vacancy-slugs';

const userJson = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  role: z.enum(ROLES),
  vacancies: limitedTo,
  method: signInMethod,
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  signedInAt: z.iso.datetime().nullable(),
  disabledAt: z.iso.datetime().nullable().describe('Null: the user is enabled'),
  sessions: z.int().describe('How many sessions are live'),
});

export class UserDto extends createZodDto(userJson) {}

const linkJson = z.object({
  id: z.string(),
  kind: z.enum(['invitation', 'password']),
  name: z.string().nullable(),
  email: z.string().nullable(),
  role: z.enum(ROLES).nullable(),
  vacancies: limitedTo,
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  expiresAt: z.iso.datetime(),
});

export class UserListDto extends createZodDto(
  z.object({ users: z.array(userJson), invitations: z.array(linkJson) }),
) {}

const vacancies = limitedSlugs.describe(
  'Slugs of the vacancies that the user reaches: an interviewer needs some, a viewer may have some',
);

export class UserInviteDto extends createZodDto(
  z.object({
    role: z.enum(ROLES),
    vacancies: vacancies.optional(),
    name: nameField.optional(),
    email: emailField.optional(),
  }),
) {}

export class UserInvitationDto extends createZodDto(
  z.object({
    id: z.string(),
    link: z.string().describe('Works once, and is shown only here'),
    expiresAt: z.iso.datetime(),
  }),
) {}

export class PasswordLinkDto extends createZodDto(
  z.object({
    link: z.string().describe('Works once, and is shown only here'),
    expiresAt: z.iso.datetime(),
  }),
) {}

export class UserChangeDto extends createZodDto(
  z.object({
    role: z.enum(ROLES).optional(),
    vacancies: vacancies.nullable().optional(),
  }),
) {}

/** Admins let colleagues in, say what they may do, and shut them out. */
@ApiTags('People')
@ApiProblems()
@Controller('api/v1/users')
@RequireScope('users:write')
@UseInterceptors(ZodSerializerInterceptor)
export class UsersController {
  private readonly http;

  constructor(
    settings: Settings,
    private readonly users: Users,
    private readonly links: UserLinks,
    private readonly sessions: UserSessions,
    private readonly slugs: VacancySlugs,
    private readonly instances: InstanceRepository,
    private readonly audit: AuditRepository,
  ) {
    this.http = settings.http;
  }

  @Get()
  @ApiOperation({ summary: 'The users by name, and the links that somebody may still use' })
  @ZodResponse({ status: 200, type: UserListDto })
  async list(@RequestUnit() uow: UnitOfWork) {
    return uow.commit('user.list', async (tx) => {
      const slugs = await this.slugs.byId(tx);
      const users = await this.users.list(tx);
      const byId = new Map<string, User>(users.map((user) => [user.id, user]));
      const pending = await this.links.listPending(tx);
      return {
        users: users.map((user) => shown(user, slugs)),
        invitations: pending.map((link) =>
          shownLink(link, byId.get(link.userId ?? '') ?? link, slugs),
        ),
      };
    });
  }

  @Post('invitations')
  @HttpCode(201)
  @RequireConfirmation()
  @Idempotent()
  @ApiOperation({ summary: 'Invite a colleague by a link, which is shown only now' })
  @ZodResponse({ status: 201, type: UserInvitationDto })
  @ApiConflictResponse({ description: 'A user has the name or the address' })
  async invite(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { role, vacancies, name, email }: UserInviteDto,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    return uow.commit('user.invite', async (tx) => {
      const { link, token } = await this.links.invite(tx, {
        role,
        vacancyIds:
          vacancies === undefined ? null : await this.slugs.idsOf(tx, principal, vacancies),
        name: name === undefined ? null : userNameOf(name),
        email: email === undefined ? null : userEmailOf(email),
        createdBy: principal.actor,
      });
      await this.note(tx, principal, 'user.invite', link.id);
      const response = { id: link.id, ...(await this.shownOnce(tx, link, token)) };
      await call.keep(tx, response);
      return response;
    });
  }

  @Delete('invitations/:id')
  @HttpCode(204)
  @RequireConfirmation()
  @ApiOperation({ summary: 'Revoke a link that nobody has used' })
  @ApiNoContentResponse({ description: 'The link does not work any more' })
  @ApiNotFoundResponse({ description: 'No link that works has this id' })
  async uninvite(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<void> {
    await uow.commit('user.uninvite', async (tx) => {
      await this.links.revoke(tx, id);
      await this.note(tx, principal, 'user.uninvite', id);
    });
  }

  @Patch(':id')
  @RequireConfirmation()
  @ApiOperation({
    summary: "Change a user's role or vacancies; it holds at once",
    description: 'What is left out stays. Vacancies of a role that has none are dropped.',
  })
  @ZodResponse({ status: 200, type: UserDto })
  @ApiNotFoundResponse({ description: 'There is no such user' })
  @ApiConflictResponse({ description: 'No enabled admin would remain' })
  async change(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { role, vacancies }: UserChangeDto,
  ) {
    return uow.commit('user.change', async (tx) => {
      const vacancyIds =
        vacancies === undefined || vacancies === null
          ? vacancies
          : await this.slugs.idsOf(tx, principal, vacancies);
      const { user, hasChanged } = await this.users.change(tx, await this.users.get(tx, id), {
        ...(role === undefined ? {} : { role }),
        ...(vacancyIds === undefined ? {} : { vacancyIds }),
      });
      if (hasChanged) await this.note(tx, principal, 'user.change', user.id);
      return this.response(tx, user);
    });
  }

  @Post(':id/disable')
  @HttpCode(200)
  @RequireConfirmation()
  @Idempotent()
  @ApiOperation({ summary: 'Shut a user out at once; all sessions and streams end' })
  @ZodResponse({ status: 200, type: UserDto })
  @ApiNotFoundResponse({ description: 'There is no such user' })
  @ApiConflictResponse({ description: 'No enabled admin would remain' })
  async disable(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('user.disable', async (tx) => {
      const { user, hasChanged } = await this.users.disable(tx, await this.users.get(tx, id));
      if (hasChanged) await this.note(tx, principal, 'user.disable', user.id);
      return this.response(tx, user);
    });
  }

  @Post(':id/enable')
  @HttpCode(200)
  @RequireConfirmation()
  @Idempotent()
  @ApiOperation({ summary: 'Let a disabled user in again' })
  @ZodResponse({ status: 200, type: UserDto })
  @ApiNotFoundResponse({ description: 'There is no such user' })
  async enable(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('user.enable', async (tx) => {
      const { user, hasChanged } = await this.users.enable(tx, await this.users.get(tx, id));
      if (hasChanged) await this.note(tx, principal, 'user.enable', user.id);
      return this.response(tx, user);
    });
  }

  @Delete(':id/sessions')
  @HttpCode(204)
  @RequireConfirmation()
  @ApiOperation({ summary: 'End all sessions of a user at once, with their streams' })
  @ApiNoContentResponse({ description: 'The user has to sign in again' })
  @ApiNotFoundResponse({ description: 'There is no such user' })
  async endSessions(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<void> {
    await uow.commit('user.end_sessions', async (tx) => {
      const user = await this.users.get(tx, id);
      const count = await this.sessions.endOthers(tx, user.id, null);
      if (count > 0) await this.note(tx, principal, 'session.end', user.id);
    });
  }

  @Post(':id/password-link')
  @HttpCode(201)
  @RequireConfirmation()
  @Idempotent()
  @ApiOperation({ summary: 'Make a link for a new password, which is shown only now' })
  @ZodResponse({ status: 201, type: PasswordLinkDto })
  @ApiNotFoundResponse({ description: 'There is no such user' })
  @ApiConflictResponse({ description: 'The user signs in elsewhere' })
  async passwordLink(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    return uow.commit('user.password_link', async (tx) => {
      const user = await this.users.get(tx, id);
      const { link, token } = await this.links.passwordLink(tx, user, principal.actor);
      await this.note(tx, principal, 'user.password', user.id);
      const response = await this.shownOnce(tx, link, token);
      await call.keep(tx, response);
      return response;
    });
  }

  private async shownOnce(
    tx: Tx,
    { expiresAt }: UserLink,
    token: string,
  ): Promise<{ link: string; expiresAt: string }> {
    const base = await this.instances.baseUrl(tx, this.http);
    return { link: base + joinPath(token), expiresAt: expiresAt.toISOString() };
  }

  private async response(tx: Tx, user: User): Promise<z.infer<typeof userJson>> {
    return shown(await this.users.withSessions(tx, user), await this.slugs.byId(tx));
  }

  private note(
    tx: Tx,
    { actor }: Principal,
    action: AuditEvent['action'],
    subjectId: string,
  ): Promise<void> {
    return this.audit.note(tx, { actor, action, subjectId });
  }
}

function shown(
  { vacancyIds, createdAt, signedInAt, disabledAt, ...user }: ListedUser,
  slugs: ReadonlyMap<string, string>,
): z.infer<typeof userJson> {
  return {
    ...user,
    vacancies: slugsOf(vacancyIds, slugs),
    createdAt: createdAt.toISOString(),
    signedInAt: signedInAt?.toISOString() ?? null,
    disabledAt: disabledAt?.toISOString() ?? null,
  };
}

/** `of`: the user of a password link, or the invitation itself. */
function shownLink(
  { id, kind, createdAt, createdBy, expiresAt }: UserLink,
  of: Pick<UserLink, 'name' | 'email' | 'role' | 'vacancyIds'>,
  slugs: ReadonlyMap<string, string>,
): z.infer<typeof linkJson> {
  return {
    id,
    kind,
    name: of.name,
    email: of.email,
    role: of.role,
    vacancies: slugsOf(of.vacancyIds, slugs),
    createdAt: createdAt.toISOString(),
    createdBy,
    expiresAt: expiresAt.toISOString(),
  };
}
