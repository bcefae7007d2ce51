import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  FlowCookies,
  type Returned,
  SignInRefusedError,
  type SignedIn,
  SingleSignOn,
  TeamCookie,
  UserSessionLookup,
  UserSessions,
  Users,
  deviceOf,
  problemPath,
  signInNeeded,
} from '../access';
import { ColloquyError } from '../common/errors';
import { ApiProblems, FailedAttempts, ProblemError } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { AuditRepository } from '../privacy';

const AREA = 'team sign-in';

/**
 * Single sign-on in the browser: to the provider, and back. A browser opens both addresses, so every outcome is a
 * redirect, and a refusal leads to the sign-in page with its code.
 */
@ApiTags('People')
@ApiProblems()
@Controller('api/v1/team/oidc')
export class OidcController {
  constructor(
    private readonly signOn: SingleSignOn,
    private readonly flows: FlowCookies,
    private readonly users: Users,
    private readonly sessions: UserSessions,
    private readonly lookup: UserSessionLookup,
    private readonly cookie: TeamCookie,
    private readonly audit: AuditRepository,
    private readonly attempts: FailedAttempts,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Send the browser to the provider of single sign-on' })
  @ApiQuery({
    name: 'returnTo',
    required: false,
    description:
      'The page of the console to which the sign-in leads; others lead to its first page',
  })
  @ApiQuery({
    name: 'confirm',
    required: false,
    enum: ['true'],
    description: 'For somebody who is signed in: the provider asks again who they are',
  })
  @ApiFoundResponse({ description: 'To the provider, or to `/console/sign-in?problem=CODE`' })
  async begin(
    @Query('returnTo') returnTo: unknown,
    @Query('confirm') confirm: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await redirect(reply, async () => {
      const { url, state, sealed } = await this.signOn.begin(returnTo, confirm === 'true');
      this.flows.set(reply, state, sealed);
      return url.href;
    });
  }

  @Get('callback')
  @ApiOperation({ summary: 'Where the provider sends the browser back' })
  @ApiQuery({ name: 'state', required: false })
  @ApiQuery({ name: 'code', required: false })
  @ApiQuery({ name: 'error', required: false })
  @ApiFoundResponse({ description: 'To `returnTo`, or to `/console/sign-in?problem=CODE`' })
  async finish(
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await redirect(reply, async () => {
      const returned = await this.returned(request, reply);
      const before = this.cookie.tokenOf(request);
      if (returned.kind === 'sign-in') {
        const device = deviceOf(request.headers['user-agent']);
        const token = await this.signIn(uow, returned.person, { before, device });
        this.cookie.set(request, reply, token);
      } else {
        await this.confirm(uow, returned, before);
      }
      return returned.returnTo;
    });
  }

  /** Whoever shows codes that the provider does not know is refused after ten in a minute. */
  private async returned(request: FastifyRequest, reply: FastifyReply): Promise<Returned> {
    const { search, searchParams } = new URL(request.url, HERE);
    const state = searchParams.get('state') ?? '';
    const sealed = this.flows.take(request, reply, state);
    this.attempts.assertAllowed(AREA, request.ip);
    try {
      const returned = await this.signOn.finish(search, state, sealed);
      this.attempts.succeeded(AREA, request.ip);
      return returned;
    } catch (error) {
      if (!(error instanceof SignInRefusedError && error.isWrongSecret)) throw error;
      const wrong = new ProblemError(502, 'oidc_failed', 'The provider does not know the code.');
      throw this.attempts.failed(AREA, request.ip, wrong);
    }
  }

  /** Returns the token of the session; that of `before` ends. Throws UserDisabledError. */
  private async signIn(
    uow: UnitOfWork,
    person: SignedIn,
    { before, device }: { readonly before: string | undefined; readonly device: string },
  ): Promise<string> {
    return uow.commit('user.sign_in', async (tx) => {
      if (before !== undefined) await this.sessions.endByToken(tx, before);
      const known = await this.users.findByIdentity(tx, person);
      // The provider names no vacancies: those that an admin has named stay.
      const user = await this.users.signInByIdentity(tx, { ...person, vacancyIds: null });
      const { token } = await this.sessions.begin(tx, user, { method: 'oidc', device });
      const audited = { actor: `user ${user.name}`, subjectId: user.id };
      // Of two first sign-ins at once one has made the user.
      const isNew = user.signedInAt === null;
      if (isNew) await this.audit.note(tx, { ...audited, action: 'user.create' });
      else if (known !== null && known.role !== user.role) {
        await this.audit.note(tx, { ...audited, action: 'user.change' });
      }
      await this.audit.note(tx, { ...audited, action: 'user.sign_in' });
      return token;
    });
  }

  /** Throws ProblemError without a session, SignInRefusedError for another person than that of the session. */
  private async confirm(
    uow: UnitOfWork,
    identity: { readonly issuer: string; readonly subject: string },
    token: string | undefined,
  ): Promise<void> {
    const found =
      token === undefined ? null : await this.lookup.find(token, () => uow, { isFresh: true });
    if (found === null) throw signInNeeded();
    await uow.commit('user.confirm', async (tx) => {
      const user = await this.users.findByIdentity(tx, identity);
      if (user?.id !== found.principal.userId) {
        throw new SignInRefusedError('oidc_subject_differs', 'another person has signed in');
      }
      await this.sessions.confirm(tx, found.sessionId);
    });
  }
}

/** Any origin does: only the query is read. */
const HERE = 'https://here.invalid';

/** Redirects to where `work` says, or to the sign-in page with the code of its error; a bug stays a 500. */
async function redirect(reply: FastifyReply, work: () => Promise<string>): Promise<void> {
  let place: string;
  try {
    place = await work();
  } catch (error) {
    if (!(error instanceof ColloquyError)) throw error;
    place = problemPath(error.code);
  }
  void reply.redirect(place, 302);
}
