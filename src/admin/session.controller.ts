import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Put,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import {
  CurrentSession,
  type OwnSession,
  Passwords,
  RequireConfirmation,
  RequireUser,
  SignIn,
  TeamCookie,
  UserSessions,
  Users,
  assertStrong,
  deviceOf,
  signInWrong,
} from '../access';
import { ApiProblems } from '../common/http';
import { isStorable } from '../common/text';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { AuditRepository } from '../privacy';
import { SessionView, TeamSessionDto, signInMethod } from './session-view';

/** Longer ones are nobody's: `weaknessOf` takes at most 256 characters. */
const MAX_PASSWORD = 1024;
const MAX_EMAIL = 254;

export const password = z.string().min(1).max(MAX_PASSWORD).refine(isStorable);

export class SignInDto extends createZodDto(
  z.object({ email: z.string().min(1).max(MAX_EMAIL).refine(isStorable), password }),
) {}

export class PasswordDto extends createZodDto(z.object({ password })) {}

export class PasswordChangeDto extends createZodDto(
  z.object({ current: password, next: password }),
) {}

export class TeamSessionListDto extends createZodDto(
  z.object({
    sessions: z.array(
      z.object({
        id: z.string(),
        createdAt: z.iso.datetime(),
        seenAt: z.iso.datetime().describe('Its last use, noted at most once in five minutes'),
        method: signInMethod,
        device: z.string().describe('What the browser says about itself, in a few words'),
        isCurrent: z.boolean().describe('Whether the request is of this session'),
      }),
    ),
  }),
) {}

/** Colleagues sign in and out, and see where they have signed in. */
@ApiTags('People')
@ApiProblems()
@Controller('api/v1/team')
@UseInterceptors(ZodSerializerInterceptor)
export class SessionController {
  constructor(
    private readonly signIn: SignIn,
    private readonly passwords: Passwords,
    private readonly users: Users,
    private readonly sessions: UserSessions,
    private readonly view: SessionView,
    private readonly cookie: TeamCookie,
    private readonly audit: AuditRepository,
  ) {}

  @Post('session')
  @HttpCode(201)
  @ApiOperation({
    summary: 'Sign in with address and password; sets the cookie of the session',
    description:
      '401 `sign_in_wrong` for a wrong password, an unknown address, a disabled user, and one without a ' +
      'password. 429 after ten failures for an address in 15 minutes, or from a network in a minute.',
  })
  @ZodResponse({ status: 201, type: TeamSessionDto })
  async begin(
    @Body() { email, password }: SignInDto,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const before = this.cookie.tokenOf(request);
    const verified = await this.signIn.byEmail(uow, { email, password, address: request.ip });
    const { user } = verified;
    const device = deviceOf(request.headers['user-agent']);
    const begun = await uow.commit('user.sign_in', async (tx) => {
      if (before !== undefined) await this.sessions.endByToken(tx, before);
      const { id, token } = await this.signIn.begin(tx, verified, device);
      const audited = { actor: `user ${user.name}`, action: 'user.sign_in' } as const;
      await this.audit.note(tx, { ...audited, subjectId: user.id });
      return { token, response: await this.view.of(tx, { id, userId: user.id }) };
    });
    this.cookie.set(request, reply, begun.token);
    return begun.response;
  }

  @Get('session')
  @RequireUser()
  @ApiOperation({ summary: 'Who has signed in, and what they may do' })
  @ZodResponse({ status: 200, type: TeamSessionDto })
  async read(@CurrentSession() session: OwnSession, @RequestUnit() uow: UnitOfWork) {
    return uow.commit('user_session.read', (tx) => this.view.of(tx, session));
  }

  /** Also without a session, so that a browser gets rid of the cookie of one that has ended. */
  @Delete('session')
  @HttpCode(204)
  @ApiOperation({ summary: 'Sign out; removes the cookie' })
  @ApiNoContentResponse({ description: 'Nobody is signed in in this browser' })
  async leave(
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const token = this.cookie.tokenOf(request);
    if (token !== undefined) {
      await uow.commit('user.sign_out', async (tx) => {
        const ended = await this.sessions.endByToken(tx, token);
        if (ended === null) return;
        const { name } = await this.users.get(tx, ended.userId);
        const audited = { actor: `user ${name}`, action: 'user.sign_out' } as const;
        await this.audit.note(tx, { ...audited, subjectId: ended.userId });
      });
    }
    this.cookie.clear(reply);
  }

  /** Before a file is fetched in a way that cannot ask. */
  @Get('session/confirmed')
  @HttpCode(204)
  @RequireUser()
  @RequireConfirmation()
  @ApiOperation({ summary: 'Whether the password was shown lately; 403 `password_needed`: no' })
  @ApiNoContentResponse({ description: 'Exports, erasures and keys do not ask for it now' })
  assertConfirmed(): void {
    // The guard has asserted it.
  }

  @Post('session/confirm')
  @HttpCode(200)
  @RequireUser()
  @ApiOperation({ summary: 'Show the password again, for exports, erasures, keys and users' })
  @ZodResponse({ status: 200, type: TeamSessionDto })
  async confirm(
    @Body() { password }: PasswordDto,
    @CurrentSession() session: OwnSession,
    @RequestUnit() uow: UnitOfWork,
    @Req() { ip }: FastifyRequest,
  ) {
    await this.signIn.again(uow, { userId: session.userId, password, address: ip });
    return uow.commit('user_session.confirm', async (tx) => {
      await this.sessions.confirm(tx, session.id);
      return this.view.of(tx, session);
    });
  }

  @Put('password')
  @HttpCode(204)
  @RequireUser()
  @ApiOperation({
    summary: 'Change the own password; all other sessions end, and the link for a new one',
  })
  @ApiNoContentResponse({ description: 'The new password holds' })
  async changePassword(
    @Body() { current, next }: PasswordChangeDto,
    @CurrentSession() session: OwnSession,
    @RequestUnit() uow: UnitOfWork,
    @Req() { ip }: FastifyRequest,
  ): Promise<void> {
    const { userId, id: keptSessionId, actor } = session;
    const shown = { userId, password: current, address: ip };
    const { user, comparedHash } = await this.signIn.again(uow, shown);
    assertStrong(next, user);
    const hashes = { passwordHash: await this.passwords.hash(next), comparedHash };
    await uow.commit('user.password', async (tx) => {
      const isSet = await this.users.setPassword(tx, { userId, keptSessionId, ...hashes });
      // Somebody has used a link for a new one meanwhile.
      if (!isSet) throw signInWrong();
      await this.audit.note(tx, { actor, action: 'user.password', subjectId: userId });
    });
  }

  @Get('sessions')
  @RequireUser()
  @ApiOperation({ summary: 'Where the user has signed in, the newest first' })
  @ZodResponse({ status: 200, type: TeamSessionListDto })
  async list(@CurrentSession() { id, userId }: OwnSession, @RequestUnit() uow: UnitOfWork) {
    const found = await uow.commit('user_session.list', (tx) => this.sessions.list(tx, userId));
    const sessions = found.map(({ createdAt, seenAt, ...session }) => ({
      ...session,
      createdAt: createdAt.toISOString(),
      seenAt: seenAt.toISOString(),
      isCurrent: session.id === id,
    }));
    return { sessions };
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @RequireUser()
  @ApiOperation({ summary: 'End one of the own sessions at once, with its streams' })
  @ApiNoContentResponse({ description: 'It has ended' })
  @ApiNotFoundResponse({ description: 'The user has no such session' })
  async end(
    @Param('id') id: string,
    @CurrentSession() { userId, actor }: OwnSession,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<void> {
    await uow.commit('user_session.end', async (tx) => {
      await this.sessions.end(tx, { id, userId });
      await this.audit.note(tx, { actor, action: 'session.end', subjectId: userId });
    });
  }

  @Delete('sessions')
  @HttpCode(204)
  @RequireUser()
  @ApiOperation({ summary: 'End all other own sessions at once, with their streams' })
  @ApiNoContentResponse({ description: 'Only the session of the request goes on' })
  async endOthers(
    @CurrentSession() { id, userId, actor }: OwnSession,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<void> {
    await uow.commit('user_session.end', async (tx) => {
      const count = await this.sessions.endOthers(tx, userId, id);
      if (count === 0) return;
      await this.audit.note(tx, { actor, action: 'session.end', subjectId: userId });
    });
  }
}
