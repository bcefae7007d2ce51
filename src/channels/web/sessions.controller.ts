import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZodResponse } from 'nestjs-zod';
import { WebSessions } from '../../accounts';
import { Settings } from '../../common/config';
import { ApiProblems, ProblemError } from '../../common/http';
import { RequestUnit, type Tx, UnitOfWork } from '../../common/uow';
import { type FoundInvite, Invitations } from '../../hiring';
import { ConversationViews, Interviews } from '../../interview';
import { BeginBody } from './conversation.dto';
import { InviteDto, SessionDto } from './conversation-json.dto';
import { sessionsShown, setSessionCookies } from './session-cookies';

type KnownInvite = Exclude<FoundInvite, { state: 'unknown' }>;

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
    private readonly interviews: Interviews,
    private readonly views: ConversationViews,
    private readonly sessions: WebSessions,
    private readonly settings: Settings,
  ) {}

  /** What a link leads to. Makes nothing. */
  @Get('invites/:token')
  @ZodResponse({ status: 200, type: InviteDto })
  async invite(@Param('token') token: string, @RequestUnit() uow: UnitOfWork) {
    const { kind, vacancy, state } = await uow.commit('invite.find', (tx) => this.find(tx, token));
    return {
      kind,
      language: vacancy.language,
      company: vacancy.company,
      vacancyTitle: vacancy.title,
      state: state === 'ok' ? ('open' as const) : ('expired' as const),
    };
  }

  /** Starts the conversation of a link, or returns this browser to its own. */
  @Post('sessions')
  @ApiCreatedResponse({ type: SessionDto.Output, description: 'A new session' })
  @ApiOkResponse({ type: SessionDto.Output, description: "This browser's own session" })
  async begin(
    @RequestUnit() uow: UnitOfWork,
    @Body() { invite }: BeginBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ conversationId: string; sessionToken: string }> {
    const shown = sessionsShown(request, invite);
    const { isNew, ...session } = await uow.commit('session.begin', (tx) =>
      this.beginOrReturn(tx, invite, shown),
    );
    void reply.code(isNew ? 201 : 200);
    setSessionCookies(reply, invite, {
      token: session.sessionToken,
      isSecure: request.protocol === 'https' || this.settings.http.publicUrl.startsWith('https:'),
    });
    return session;
  }

  private async beginOrReturn(tx: Tx, token: string, shown: readonly string[]): Promise<Begun> {
    const invite = await this.find(tx, token);
    for (const sessionToken of shown) {
      const conversationId = await this.sessions.resolve(tx, sessionToken);
      const isOwn =
        conversationId !== null && (await this.views.isOfInvite(tx, conversationId, invite));
      if (isOwn) return { conversationId, sessionToken, isNew: false };
    }
    if (invite.state === 'expired') {
      throw new ProblemError(410, 'invite_expired', 'This invitation has expired.');
    }
    const conversation = await this.interviews.begin(tx, invite);
    const { sessionToken } = await this.sessions.create(tx, conversation.id);
    return { conversationId: conversation.id, sessionToken, isNew: true };
  }

  private async find(tx: Tx, token: string): Promise<KnownInvite> {
    const invite = await this.invitations.findByToken(tx, token);
    if (invite.state !== 'unknown') return invite;
    throw new ProblemError(404, 'invite_unknown', 'This link leads nowhere.');
  }
}
