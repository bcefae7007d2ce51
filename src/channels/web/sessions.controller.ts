import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZodResponse } from 'nestjs-zod';
import { Continuations, type FoundContinuation, WebSessions } from '../../accounts';
import { ApiProblems, ProblemError } from '../../common/http';
import { RequestUnit, type Tx, UnitOfWork } from '../../common/uow';
import { type FoundInvite, Invitations } from '../../hiring';
import { ContinuationLinks, ConversationViews, Interviews } from '../../interview';
import { BeginBody } from './conversation.dto';
import { InviteDto, type InviteJson, SessionDto } from './conversation-json.dto';
import { EndedSessions } from './ended-sessions';
import { SessionCookies } from './session-cookies';
import { CurrentSession, SessionGuard } from './session.guard';

type KnownInvite = Exclude<FoundInvite, { state: 'unknown' }>;

/** What the secret of a link can be: an invitation, or an interview carried over from a messenger. */
type FoundLink =
  | { readonly to: 'invite'; readonly invite: KnownInvite }
  | { readonly to: 'conversation'; readonly continuation: FoundContinuation };

interface Begun {
  readonly conversationId: string;
  readonly sessionToken: string;
  readonly isNew: boolean;
}

/** Where a candidate comes in: from a link to a session of their own. */
@ApiTags('Candidate')
@ApiProblems()
@Controller('api/v1')
export class SessionsController {
  constructor(
    private readonly invitations: Invitations,
    private readonly continuations: Continuations,
    private readonly links: ContinuationLinks,
    private readonly interviews: Interviews,
    private readonly views: ConversationViews,
    private readonly sessions: WebSessions,
    private readonly cookies: SessionCookies,
    private readonly ended: EndedSessions,
  ) {}

  /** What a link leads to. Makes nothing. */
  @Get('invites/:token')
  @ZodResponse({ status: 200, type: InviteDto })
  async invite(@Param('token') token: string, @RequestUnit() uow: UnitOfWork): Promise<InviteJson> {
    return uow.commit('invite.find', async (tx) => {
      const link = await this.find(tx, token);
      if (link.to === 'conversation') {
        const { conversationId, state } = link.continuation;
        const about = await this.views.about(tx, conversationId);
        return { kind: 'continuation', ...about, state: state === 'ok' ? 'open' : state };
      }
      const { kind, vacancy, state } = link.invite;
      return {
        kind,
        language: vacancy.language,
        company: vacancy.company,
        vacancyTitle: vacancy.title,
        state: state === 'ok' ? 'open' : 'expired',
      };
    });
  }

  /**
   * Starts the conversation of an invitation, takes over the one of a continuation (which works
   * once), or returns this browser to its own.
   */
  @Post('sessions')
  @ApiCreatedResponse({ type: SessionDto.Output, description: 'A new session' })
  @ApiOkResponse({ type: SessionDto.Output, description: "This browser's own session" })
  async begin(
    @RequestUnit() uow: UnitOfWork,
    @Body() { invite }: BeginBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ conversationId: string; sessionToken: string }> {
    const shown = this.cookies.shownFor(request, invite);
    const { isNew, ...session } = await uow.commit('session.begin', (tx) =>
      this.beginOrReturn(tx, invite, shown),
    );
    void reply.code(isNew ? 201 : 200);
    this.cookies.set(request, reply, invite, session.sessionToken);
    return session;
  }

  /** Signs this browser out; the interview stays, and its link opens it again. */
  @Delete('sessions/current')
  @HttpCode(204)
  @UseGuards(SessionGuard)
  @ApiBearerAuth()
  @ApiNoContentResponse({ description: 'The session has ended' })
  async leave(
    @CurrentSession() sessionToken: string,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await uow.commit('session.end', (tx) => this.sessions.end(tx, sessionToken));
    this.ended.closeStreamsOf(sessionToken);
    this.cookies.clear(request, reply, sessionToken);
  }

  private async beginOrReturn(tx: Tx, token: string, shown: readonly string[]): Promise<Begun> {
    const link = await this.find(tx, token);
    for (const sessionToken of shown) {
      const conversationId = await this.sessions.resolve(tx, sessionToken);
      if (conversationId === null || !(await this.leadsTo(tx, link, conversationId))) continue;
      // The link was handed over all the same: it opens nothing a second time.
      if (link.to === 'conversation') await this.links.redeem(tx, token, 'web');
      return { conversationId, sessionToken, isNew: false };
    }
    const conversationId =
      link.to === 'conversation'
        ? await this.redeem(tx, token)
        : await this.beginByInvite(tx, link.invite);
    const { sessionToken } = await this.sessions.create(tx, conversationId);
    return { conversationId, sessionToken, isNew: true };
  }

  private async leadsTo(tx: Tx, link: FoundLink, conversationId: string): Promise<boolean> {
    if (link.to === 'invite') return this.views.isOfInvite(tx, conversationId, link.invite);
    return link.continuation.conversationId === conversationId;
  }

  private async beginByInvite(tx: Tx, invite: KnownInvite): Promise<string> {
    if (invite.state === 'expired') {
      throw new ProblemError(410, 'invite_expired', 'This invitation has expired.');
    }
    return (await this.interviews.beginAs(tx, invite, { identifiedBy: 'web_link' })).id;
  }

  private async redeem(tx: Tx, token: string): Promise<string> {
    const redeemed = await this.links.redeem(tx, token, 'web');
    switch (redeemed) {
      case 'unknown':
        throw unknownLink();
      case 'used':
        throw new ProblemError(410, 'continuation_used', 'This link has been used; it works once.');
      case 'expired':
        throw new ProblemError(410, 'continuation_expired', 'This link has expired.');
      default:
        return redeemed.conversationId;
    }
  }

  private async find(tx: Tx, token: string): Promise<FoundLink> {
    const invite = await this.invitations.findByToken(tx, token);
    if (invite.state !== 'unknown') return { to: 'invite', invite };
    const continuation = await this.continuations.find(tx, token, 'web');
    if (continuation !== null) return { to: 'conversation', continuation };
    throw unknownLink();
  }
}

function unknownLink(): ProblemError {
  return new ProblemError(404, 'invite_unknown', 'This link leads nowhere.');
}
