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
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZodResponse } from 'nestjs-zod';
import { WebSessionRepository } from '../../candidates';
import { ApiProblems, ProblemError, SESSION_SECURITY } from '../../common/http';
import { RequestUnit, type Tx, UnitOfWork } from '../../common/uow';
import { ConversationViews, InterviewService } from '../../interview';
import { VacancyClosedError } from '../../vacancies';
import { CandidateLinks } from './candidate-links';
import { InviteDto, type InviteJson, SessionDto } from './conversation.dto';
import { BeginBody } from './conversation-bodies.dto';
import { EndedSessions } from './ended-sessions';
import {
  CurrentConversation,
  CurrentSession,
  SessionCookies,
  SessionGuard,
} from './session-access';

interface Begun {
  readonly conversationId: string;
  readonly sessionToken: string;
  readonly isNew: boolean;
}

/**
 * Gives a candidate who opens a link a session.
 *
 * A link may lead to an interview that is open elsewhere, and somebody who wants to read what the
 * candidate writes may have opened it there. A browser without a session of that interview gets one
 * only after the person confirms that the interview is theirs and agrees to its disclosure here.
 */
@ApiTags('Candidate')
@ApiProblems()
@Controller('api/v1')
export class SessionsController {
  constructor(
    private readonly links: CandidateLinks,
    private readonly interviews: InterviewService,
    private readonly views: ConversationViews,
    private readonly sessions: WebSessionRepository,
    private readonly cookies: SessionCookies,
    private readonly ended: EndedSessions,
  ) {}

  /** What a link leads to. Reads only. */
  @Get('invites/:token')
  @ApiOperation({ summary: 'What the link of an invitation leads to' })
  @ZodResponse({ status: 200, type: InviteDto })
  async invite(@Param('token') token: string, @RequestUnit() uow: UnitOfWork): Promise<InviteJson> {
    return uow.commit('invite.find', (tx) => this.links.describe(tx, token));
  }

  /**
   * Starts the conversation of an invitation, opens the one of a continuation (which works once), or
   * returns this browser to its own. 410 `vacancy_closed`: the vacancy was closed before the candidate agreed. 409 `confirmation_needed`: the interview is open elsewhere; show
   * what the link leads to, with its disclosure, and send `mine` with its version once the person has
   * confirmed that it is theirs.
   */
  @Post('sessions')
  @ApiOperation({ summary: 'Open a session: begins or continues the interview of a link' })
  @ApiCreatedResponse({ type: SessionDto.Output, description: 'A new session' })
  @ApiOkResponse({ type: SessionDto.Output, description: "This browser's own session" })
  async begin(
    @RequestUnit() uow: UnitOfWork,
    @Body() { invite, mine }: BeginBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ conversationId: string; sessionToken: string }> {
    const known = this.cookies.tokensFor(request, invite);
    const { isNew, ...session } = await uow.commit('session.begin', (tx) =>
      this.beginOrReturn(tx, { token: invite, mine }, known),
    );
    void reply.code(isNew ? 201 : 200);
    this.cookies.set(request, reply, invite, session.sessionToken);
    return session;
  }

  /** Signs this browser out. The interview stays, and its link opens it again. */
  @Delete('sessions/current')
  @ApiOperation({ summary: 'End the session; the interview stays' })
  @HttpCode(204)
  @UseGuards(SessionGuard)
  @ApiBearerAuth(SESSION_SECURITY)
  @ApiNoContentResponse({ description: 'The session has ended' })
  async leave(
    @CurrentConversation() conversationId: string,
    @CurrentSession() sessionToken: string,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await uow.commitOne('session.end', (tx) =>
      this.ended.end(tx, { conversationId, sessionToken }),
    );
    this.cookies.clear(request, reply, sessionToken);
  }

  private async beginOrReturn(
    tx: Tx,
    { token, mine }: { token: string; mine: BeginBody['mine'] },
    known: readonly string[],
  ): Promise<Begun> {
    const link = await this.links.find(tx, token);
    for (const sessionToken of known) {
      const conversationId = await this.sessions.resolve(tx, sessionToken);
      if (conversationId === null || !(await this.links.leadsTo(tx, link, conversationId)))
        continue;
      if ((await this.views.view(tx, conversationId)).isTooLate) throw new VacancyClosedError();
      await this.links.useUp(tx, link, token);
      return { conversationId, sessionToken, isNew: false };
    }
    const conversationId = await this.links.open(tx, link, token);
    // The conversation is locked now: of two browsers at once the second has to confirm.
    const view = await this.views.view(tx, conversationId);
    const isOwn =
      view.isPreview || (link.to === 'invite' && !(await this.links.mayBeOpenElsewhere(tx, view)));
    if (!isOwn) {
      await this.confirm(tx, conversationId, mine);
    }
    const { sessionToken } = await this.sessions.create(tx, conversationId);
    return { conversationId, sessionToken, isNew: true };
  }

  /** Needs the person's confirmation and a new consent. Without them the commit is rolled back. */
  private async confirm(tx: Tx, conversationId: string, mine: BeginBody['mine']): Promise<void> {
    if (mine === undefined) {
      throw new ProblemError(409, 'confirmation_needed', 'This interview is open elsewhere.');
    }
    await this.interviews.enter(tx, conversationId, 'web');
    const consent = { version: mine.version, accepted: true, isAgain: true };
    await this.interviews.consent(tx, conversationId, consent);
  }
}
