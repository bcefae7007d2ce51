import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiConflictResponse, ApiGoneResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  Passwords,
  ROLES,
  TeamCookie,
  type User,
  type UserLink,
  UserLinks,
  UserSessions,
  Users,
  assertStrong,
  deviceOf,
  userEmailOf,
  userNameOf,
} from '../access';
import { ApiProblems, ProblemError } from '../common/http';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { AuditRepository } from '../privacy';
import { VacancyRepository } from '../vacancies';
import { password } from './session.controller';
import { SessionView, TeamSessionDto, emailField, nameField } from './session-view';

export class TeamLinkDto extends createZodDto(
  z.object({
    kind: z.enum(['invitation', 'password']),
    name: z.string().nullable(),
    email: z.string().nullable(),
    role: z.enum(ROLES),
    vacancies: z
      .array(z.object({ slug: z.string(), title: z.string() }))
      .nullable()
      .describe('The vacancies that the user reaches; null: all'),
    invitedBy: z.string(),
    expiresAt: z.iso.datetime(),
  }),
) {}

export class TeamLinkUseDto extends createZodDto(
  z.object({
    name: nameField.optional().describe('Of an invitation: as the audit will name the user'),
    email: emailField.optional().describe('Of an invitation: to sign in with'),
    password,
  }),
) {}

interface Used {
  readonly user: User;
  readonly id: string;
  readonly token: string;
}

/** Links that work once: whoever opens one joins the team, or chooses a new password. */
@ApiTags('People')
@ApiProblems()
@Controller('api/v1/team/links')
@UseInterceptors(ZodSerializerInterceptor)
export class TeamLinksController {
  constructor(
    private readonly links: UserLinks,
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly sessions: UserSessions,
    private readonly view: SessionView,
    private readonly cookie: TeamCookie,
    private readonly vacancies: VacancyRepository,
    private readonly audit: AuditRepository,
  ) {}

  @Get(':token')
  @ApiOperation({ summary: 'What a link of the team is for' })
  @ZodResponse({ status: 200, type: TeamLinkDto })
  @ApiGoneResponse({ description: 'The link was used, was revoked, or has expired' })
  async show(@Param('token') token: string, @RequestUnit() uow: UnitOfWork) {
    return uow.commit('user_link.show', async (tx) => {
      const link = await this.links.get(tx, token);
      const { name, email, role, vacancyIds } = await this.personOf(tx, link);
      if (role === null) throw new Error('an invitation has a role');
      const ids = vacancyIds === null ? null : new Set(vacancyIds);
      const all = ids === null ? [] : await this.vacancies.list(tx);
      const reached = all.filter(({ id }) => ids?.has(id) === true);
      return {
        kind: link.kind,
        name,
        email,
        role,
        vacancies: ids === null ? null : reached.map(({ slug, title }) => ({ slug, title })),
        invitedBy: link.createdBy,
        expiresAt: link.expiresAt.toISOString(),
      };
    });
  }

  @Post(':token')
  @HttpCode(201)
  @ApiOperation({
    summary: 'Join the team by an invitation, or set a new password; signs in',
    description:
      'An invitation takes `name`, `email` and `password`; a link for a new password takes `password`, and ' +
      'ends all other sessions of the user.',
  })
  @ZodResponse({ status: 201, type: TeamSessionDto })
  @ApiConflictResponse({ description: 'Another user has the name or the address' })
  @ApiGoneResponse({ description: 'The link was used, was revoked, or has expired' })
  async use(
    @Param('token') token: string,
    @Body() given: TeamLinkUseDto,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const before = this.cookie.tokenOf(request);
    const { link, person } = await uow.commit('user_link.find', async (tx) => {
      const link = await this.links.get(tx, token);
      return { link, person: await this.newPerson(tx, link, given) };
    });
    assertStrong(given.password, person);
    // Only whoever has a link that works makes the server hash.
    const passwordHash = await this.passwords.hash(given.password);
    const device = deviceOf(request.headers['user-agent']);
    const used = await uow.commit('user_link.use', async (tx) => {
      if (before !== undefined) await this.sessions.endByToken(tx, before);
      const { user, ...session } = await this.useUp(tx, link, { ...person, passwordHash, device });
      return { ...session, response: await this.view.of(tx, { id: session.id, userId: user.id }) };
    });
    this.cookie.set(request, reply, used.token);
    return used.response;
  }

  /** Who will sign in by the link. Throws UserNameTakenError, UserEmailTakenError, ProblemError. */
  private async newPerson(
    tx: Tx,
    link: UserLink,
    { name, email }: TeamLinkUseDto,
  ): Promise<{ readonly name: string; readonly email: string }> {
    if (link.kind === 'password') {
      const user = await this.personOf(tx, link);
      return { name: user.name ?? '', email: user.email ?? '' };
    }
    const person = { name: userNameOf(name ?? ''), email: userEmailOf(email ?? '') };
    if (person.name === null || person.email === null) {
      throw new ProblemError(422, 'invalid_body', 'An invitation takes a name and an address.', {
        detail: 'name, email',
      });
    }
    await this.users.assertFree(tx, person);
    return { name: person.name, email: person.email };
  }

  private async useUp(
    tx: Tx,
    link: UserLink,
    by: {
      readonly name: string;
      readonly email: string;
      readonly passwordHash: string;
      readonly device: string;
    },
  ): Promise<Used> {
    const isInvitation = link.kind === 'invitation';
    const user = isInvitation
      ? await this.links.join(tx, link, by)
      : await this.links.setPassword(tx, link, by.passwordHash);
    const { id, token } = await this.sessions.begin(tx, user, {
      method: 'password',
      device: by.device,
    });
    const audited = { actor: `user ${user.name}`, subjectId: user.id };
    const action = isInvitation ? 'user.create' : 'user.password';
    await this.audit.note(tx, { ...audited, action });
    await this.audit.note(tx, { ...audited, action: 'user.sign_in' });
    return { user, id, token };
  }

  /** Of a password link its user, of an invitation what it says. */
  private async personOf(
    tx: Tx,
    link: UserLink,
  ): Promise<Pick<UserLink, 'name' | 'email' | 'role' | 'vacancyIds'>> {
    return link.userId === null ? link : this.users.get(tx, link.userId);
  }
}
