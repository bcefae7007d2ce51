import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSessions } from '../../accounts';
import { ProblemError } from '../../common/http';
import { RequestUnit, type Tx, UnitOfWork } from '../../common/uow';
import { type FoundInvite, Invitations } from '../../hiring';
import { ConversationViews, Interviews } from '../../interview';
import { BeginBody } from './conversation.dto';
import { SESSION_COOKIE, sessionTokenOf } from './session.guard';

const SESSION_SECONDS = 180 * 24 * 3600;

interface Begun {
  readonly conversationId: string;
  readonly sessionToken: string;
  readonly isNew: boolean;
}

/** Where a candidate comes in: from a link to a session of their own. */
@ApiTags('Candidate')
@Controller('api/v1')
export class SessionsController {
  constructor(
    private readonly invitations: Invitations,
    private readonly interviews: Interviews,
    private readonly views: ConversationViews,
    private readonly sessions: WebSessions,
  ) {}

  /** What a link leads to. Makes nothing. */
  @Get('invites/:token')
  async invite(@Param('token') token: string, @RequestUnit() uow: UnitOfWork): Promise<object> {
    const invite = await uow.commit('invite.find', (tx) => this.invitations.findByToken(tx, token));
    if (invite.state === 'unknown') throw unknownInvite();
    const { kind, vacancy } = invite;
    return {
      kind,
      language: vacancy.language,
      company: vacancy.company,
      vacancyTitle: vacancy.title,
      state: invite.state === 'ok' ? 'open' : 'expired',
    };
  }

  /** Starts the conversation of a link, or returns this browser to its own. */
  @Post('sessions')
  async begin(
    @RequestUnit() uow: UnitOfWork,
    @Body() body: BeginBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ conversationId: string; sessionToken: string }> {
    const known = sessionTokenOf(request);
    const { isNew, ...session } = await uow.commit('session.begin', (tx) =>
      this.beginOrReturn(tx, body.invite, known),
    );
    void reply.code(isNew ? 201 : 200);
    void reply.setCookie(SESSION_COOKIE, session.sessionToken, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: request.protocol === 'https',
      maxAge: SESSION_SECONDS,
    });
    return session;
  }

  private async beginOrReturn(tx: Tx, token: string, known: string | undefined): Promise<Begun> {
    const invite = await this.invitations.findByToken(tx, token);
    if (invite.state === 'unknown') throw unknownInvite();
    const own = await this.ownConversation(tx, invite, known);
    if (own !== undefined) return { ...own, isNew: false };
    if (invite.state === 'expired') {
      throw new ProblemError(410, 'invite_expired', 'This invitation has expired.');
    }
    const conversation = await this.interviews.begin(tx, invite);
    const { sessionToken } = await this.sessions.create(tx, conversation.id);
    return { conversationId: conversation.id, sessionToken, isNew: true };
  }

  /** The conversation of the browser's session, if it is one of this very link. */
  private async ownConversation(
    tx: Tx,
    invite: Exclude<FoundInvite, { state: 'unknown' }>,
    sessionToken: string | undefined,
  ): Promise<Omit<Begun, 'isNew'> | undefined> {
    if (sessionToken === undefined) return undefined;
    const conversationId = await this.sessions.resolve(tx, sessionToken);
    if (conversationId === null) return undefined;
    const isOfInvite = await this.views.isOfInvite(tx, conversationId, invite);
    return isOfInvite ? { conversationId, sessionToken } : undefined;
  }
}

function unknownInvite(): ProblemError {
  return new ProblemError(404, 'invite_unknown', 'This link leads nowhere.');
}
